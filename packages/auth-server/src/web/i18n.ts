import { readFileSync } from 'node:fs';
import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import { PRODUCT } from '../brand/brand.ts';
import type en from './messages/en.json';

export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

export type Messages = Readonly<Record<MessageKey, string>>;
export type MessageKey = keyof typeof en;
/** What follows `prefix` in the keys that start with it: `KeyAfter<'problem.'>`. */
export type KeyAfter<Prefix extends string> = MessageKey extends infer Key
  ? Key extends `${Prefix}${infer Rest}`
    ? Rest
    : never
  : never;
/** Keys that come as `<key>.one` and `<key>.other`. */
export type CountKey = MessageKey extends infer Key
  ? Key extends `${infer Stem}.one`
    ? Stem
    : never
  : never;
export type MessageValues = Readonly<Record<string, string | number>>;

/** One reader's language and clock. Every text that a person sees goes through it. */
export interface I18n {
  readonly locale: Locale;
  /** The message's text, its `{placeholders}` filled. Escape it as any other text. */
  t(key: MessageKey, values?: MessageValues): string;
  /** The same with markup in the placeholders; the message itself is escaped. */
  rich(key: MessageKey, values: Readonly<Record<string, HtmlValue>>): Html;
  /** The singular or plural of a message, with `{count}`; its `.zero`, where there is one. */
  count(key: CountKey, count: number): string;
  has(key: string): key is MessageKey;
  /** `21 November 2026` */
  date(instant: Date): string;
  /** `21 Nov 2026, 09:30 UTC` */
  dateTime(instant: Date): string;
  /**
   * `5 minutes`, rounded up to the largest unit that fits: a person never has to wait longer than
   * the text says.
   */
  duration(seconds: number): string;
}

/** British English: a 24-hour clock, and months as words that no reader takes for a day. */
const TAGS: Readonly<Record<Locale, string>> = { en: 'en-GB', de: 'de-DE' };

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

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

/**
 * @param timeZone IANA name; instants are shown in it, and it is named beside each time.
 * @throws {TypeError} from `t`, `rich` and `count` when a placeholder has no value.
 */
export function createI18n(locale: Locale, messages: Messages, timeZone = 'UTC'): I18n {
  const tag = TAGS[locale];
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone });
  const dateTime = new Intl.DateTimeFormat(tag, {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone },
  });
  const plurals = new Intl.PluralRules(tag);
  const has = (key: string): key is MessageKey => Object.hasOwn(messages, key);
  const t: I18n['t'] = (key, values = {}) =>
    messages[key].replace(PLACEHOLDER, (_, name: string) => `${filling(key, values, name)}`);
  return {
    locale,
    t,
    rich: (key, values) =>
      html`${messages[key]
        .split(PLACEHOLDER)
        .map((part, index) => (index % 2 === 0 ? part : filling(key, values, part)))}`,
    count(key, count) {
      const none: string = `${key}.zero`;
      if (count === 0 && has(none)) return t(none);
      const form = plurals.select(count) === 'one' ? 'one' : 'other';
      return t(`${key}.${form}`, { count });
    },
    has,
    date: (instant) => date.format(instant),
    dateTime: (instant) => dateTime.format(instant),
    duration(seconds) {
      const whole = Math.max(1, Math.ceil(seconds));
      const { unit, seconds: size } = UNITS.find((each) => whole >= each.seconds) ?? UNITS[3];
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' });
      return format.format(Math.ceil(whole / size));
    },
  };
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g;

function filling<T>(key: string, values: Readonly<Record<string, T>>, name: string): T {
  const value = values[name];
  if (value === undefined) throw new TypeError(`the message ${key} needs a value for {${name}}`);
  return value;
}
