import { type Html, type HtmlValue, html } from '../http/html.ts';
import { LOCALES, type Locale } from './browser.ts';

/** What follows `Prefix` in the keys that start with it. */
export type KeysAfter<
  Key extends string,
  Prefix extends string,
> = Key extends `${Prefix}${infer Rest}` ? Rest : never;
/** Keys that come as `<key>.one` and `<key>.other`. */
export type CountKeys<Key extends string> = Key extends `${infer Stem}.one` ? Stem : never;
export type MessageValues = Readonly<Record<string, string | number>>;

/** One reader's language and clock. Every text that a person sees goes through it. */
export interface I18n<Key extends string> {
  readonly locale: Locale;
  /** The message's text, its `{placeholders}` filled. Escape it as any other text. */
  t(key: Key, values?: MessageValues): string;
  /** The same with markup in the placeholders; the message itself is escaped. */
  rich(key: Key, values: Readonly<Record<string, HtmlValue>>): Html;
  /** The singular or plural of a message, with `{count}`; its `.zero`, where there is one. */
  count(key: CountKeys<Key>, count: number): string;
  has(key: string): key is Key;
  /** A number, grouped. */
  number(value: number): string;
  /** `21 November 2026` */
  date(at: Date | string): string;
  /** `21 Nov 2026, 09:30 UTC` */
  dateTime(at: Date | string): string;
  /**
   * `5 minutes`, rounded up to the largest unit that fits: a person never has to wait longer than
   * the text says.
   */
  duration(seconds: number): string;
}

/** British English: a 24-hour clock, and months as words that no reader takes for a day. */
const TAGS: Readonly<Record<Locale, string>> = { en: 'en-GB', de: 'de-DE' };
const SHORT_DATE = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/**
 * @param precise dates with short months, and times to the second: `2 Apr 2025, 06:30:12 UTC`.
 * @throws {TypeError} from `t`, `rich` and `count` when a placeholder has no value.
 */
export function createI18n<Key extends string>(
  locale: Locale,
  messages: Readonly<Record<Key, string>>,
  precise = false,
): I18n<Key> {
  const tag = TAGS[locale];
  const dates = new Intl.DateTimeFormat(
    tag,
    precise ? SHORT_DATE : { dateStyle: 'long', timeZone: 'UTC' },
  );
  const seconds = precise ? ({ second: '2-digit' } as const) : {};
  const times = new Intl.DateTimeFormat(tag, { ...SHORT_DATE, ...TIME, ...seconds });
  const numbers = new Intl.NumberFormat(tag);
  const plurals = new Intl.PluralRules(tag);
  const has = (key: string): key is Key => Object.hasOwn(messages, key);
  const t = (key: Key, values: MessageValues = {}) =>
    messages[key].replace(PLACEHOLDER, (_, name: string) => `${filling(key, values, name)}`);
  return {
    locale,
    t,
    rich: (key, values) =>
      html`${messages[key]
        .split(PLACEHOLDER)
        .map((part, index) => (index % 2 === 0 ? part : filling(key, values, part)))}`,
    count(key, count) {
      const form = plurals.select(count) === 'one' ? 'one' : 'other';
      const keys = [count === 0 ? `${key}.zero` : '', `${key}.${form}`];
      return t(keys.find(has) as Key, { count });
    },
    has,
    number: (value) => numbers.format(value),
    date: (at) => dates.format(new Date(at)),
    dateTime: (at) => times.format(new Date(at)),
    duration(seconds) {
      const whole = Math.max(1, Math.ceil(seconds));
      const { unit, seconds: size } = UNITS.find((each) => whole >= each.seconds) ?? UNITS[3];
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' });
      return format.format(Math.ceil(whole / size));
    },
  };
}

export function inEachLanguage<T>(make: (locale: Locale) => T): Readonly<Record<Locale, T>> {
  return Object.fromEntries(LOCALES.map((locale) => [locale, make(locale)])) as Record<Locale, T>;
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g;

function filling<T>(key: string, values: Readonly<Record<string, T>>, name: string): T {
  const value = values[name];
  if (value === undefined) throw new TypeError(`the message ${key} needs a value for {${name}}`);
  return value;
}
