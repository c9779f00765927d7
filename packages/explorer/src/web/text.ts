import type { Locale } from '@cls/shared/pages/browser';
import { createI18n, type I18n } from '@cls/shared/pages/i18n';
import { shortAmount } from './amounts.ts';
import { de } from './messages/de.ts';
import { en, type MessageKey, type Messages } from './messages/en.ts';

export type { MessageKey };

/** One reader's language. Every text that a person sees goes through it. */
export interface Text extends I18n<MessageKey> {
  /** The last date with data, where the page shows a later one: what grows by days is projected. */
  readonly projectedAfter: string | undefined;
  /** An amount as it is read at a glance; a dash where it is not known. */
  short(amount: string | null | undefined): string;
}

const MESSAGES: Readonly<Record<Locale, Messages>> = { en, de };

export function textIn(locale: Locale): Text {
  return {
    ...createI18n(locale, MESSAGES[locale], true),
    projectedAfter: undefined,
    short: (amount) => (amount == null ? '–' : shortAmount(amount, locale)),
  };
}
