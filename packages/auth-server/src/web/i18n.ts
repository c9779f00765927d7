import { readFileSync } from 'node:fs';
import type { Locale } from '@cls/shared/pages/browser';
import * as kit from '@cls/shared/pages/i18n';
import { PRODUCT } from '../brand/brand.ts';
import type en from './messages/en.json';

export type MessageKey = keyof typeof en;
type Messages = Readonly<Record<MessageKey, string>>;
/** What follows `prefix` in the keys that start with it: `KeyAfter<'problem.'>`. */
export type KeyAfter<Prefix extends string> = kit.KeysAfter<MessageKey, Prefix>;
export type CountKey = kit.CountKeys<MessageKey>;
export type I18n = kit.I18n<MessageKey>;

/**
 * Reads a language's one file; call it once at start.
 *
 * @param product what the operator calls this service; it is CLS in the file.
 */
export function readMessages(locale: Locale, product: string = PRODUCT): Messages {
  const file = new URL(`./messages/${locale}.json`, import.meta.url);
  const messages = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Messages);
  const named = messages.map(([key, text]) => [key, text.replaceAll(PRODUCT, () => product)]);
  return Object.fromEntries(named) as Messages;
}

/** The texts in each language; see `readMessages`. */
export function readLanguages(product?: string): Readonly<Record<Locale, I18n>> {
  return kit.inEachLanguage((locale) => kit.createI18n(locale, readMessages(locale, product)));
}
