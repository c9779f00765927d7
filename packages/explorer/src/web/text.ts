import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import { LOCALES, type Locale } from './locale.ts';
import { de } from './messages/de.ts';
import { en, type MessageKey, type Messages } from './messages/en.ts';

export { LOCALES, type Locale, type MessageKey };
export type Values = Readonly<Record<string, string | number>>;

/** One reader's language. Every text that a person sees goes through it. */
export interface Text {
  readonly locale: Locale;
  /** The last date with data, where the page shows a later one: what grows by days is projected. */
  readonly projectedAfter: string | undefined;
  /** The message with its `{placeholders}` filled; escape it as any other text. */
  t(key: MessageKey, values?: Values): string;
  /** The same with markup in the placeholders; the message itself is escaped. */
  rich(key: MessageKey, values: Readonly<Record<string, HtmlValue>>): Html;
  has(key: string): key is MessageKey;
  /** A business date, `2025-03-31`: `31 Mar 2025`. */
  date(day: string): string;
  /** An instant of the API, to the second: `2 Apr 2025, 06:30:12 UTC`. */
  instant(at: string): string;
  /** A count, grouped. */
  count(value: number): string;
}

/** British English: a 24-hour clock, and months as words that no reader takes for a day. */
const TAGS: Readonly<Record<Locale, string>> = { en: 'en-GB', de: 'de-DE' };
const MESSAGES: Readonly<Record<Locale, Messages>> = { en, de };
const PLACEHOLDER = /\{([a-zA-Z]+)\}/g;

export function textIn(locale: Locale): Text {
  const messages = MESSAGES[locale];
  const tag = TAGS[locale];
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const dates = new Intl.DateTimeFormat(tag, day);
  const instants = new Intl.DateTimeFormat(tag, { ...day, ...time, timeZoneName: 'short' });
  const counts = new Intl.NumberFormat(tag);
  return {
    locale,
    projectedAfter: undefined,
    t: (key, values = {}) =>
      messages[key].replace(PLACEHOLDER, (_, name: string) => `${filling(key, values, name)}`),
    rich: (key, values) =>
      html`${messages[key]
        .split(PLACEHOLDER)
        .map((part, index) => (index % 2 === 0 ? part : filling(key, values, part)))}`,
    has: (key): key is MessageKey => Object.hasOwn(messages, key),
    date: (value) => dates.format(new Date(`${value}T00:00:00Z`)),
    instant: (at) => instants.format(new Date(at)),
    count: (value) => counts.format(value),
  };
}

function filling<T>(key: string, values: Readonly<Record<string, T>>, name: string): T {
  const value = values[name];
  if (value === undefined) throw new TypeError(`the message ${key} needs a value for {${name}}`);
  return value;
}
