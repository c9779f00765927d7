/** What people write into forms, as the API reads it. */
import type { Locale } from '@cls/shared/pages/browser';

const MINUS = /^[-−]/;
const GROUPS = { en: ',', de: '.' } as const;
const POINTS = { en: '.', de: ',' } as const;
const SPACES = /[\s\u00a0\u2009\u202f]/g;

/**
 * An amount as people of a language write it: `1,234.56` in English, `1.234,56` in German, with or
 * without grouping. What people of the other language may have written for another amount is
 * refused: `1,234` with a decimal comma is a thousand elsewhere.
 *
 * @returns a decimal string; undefined for what is no amount, or could be two.
 */
export function readAmount(typed: string, locale: Locale): string | undefined {
  const [group, point] = [GROUPS[locale], POINTS[locale]];
  const trimmed = typed.trim();
  const isNegative = MINUS.test(trimmed);
  const text = trimmed.replace(MINUS, '').replace(SPACES, '');
  const [whole = '', fraction, ...more] = text.split(point);
  const isWhole = /^\d+$/.test(whole) || new RegExp(`^\\d{1,3}(\\${group}\\d{3})+$`).test(whole);
  const isFraction = fraction === undefined || /^\d+$/.test(fraction);
  if (!isWhole || !isFraction || more.length > 0) return undefined;
  if (/^[1-9]\d{0,2}$/.test(whole) && fraction?.length === 3) return undefined;
  const digits = whole.replaceAll(group, '').replace(/^0+(?=\d)/, '');
  return `${isNegative ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

/**
 * An instant in UTC from the fields of a form. Without a time it is the end of the day.
 *
 * @param exact the instant that the fields showed, to the second: they change nothing of it.
 * @returns undefined for what is no date or no time.
 */
export function readInstant(day: string, time: string, exact: string): string | undefined {
  const seconds = /^\d\d:\d\d$/.test(time) ? `${time}:00` : time.replace(/\.\d+$/, '');
  const instant = `${day}T${seconds === '' ? '23:59:59.999999' : seconds}Z`;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.9{6})?Z$/.test(instant)) return undefined;
  const read = new Date(instant);
  // A day that a month does not have is another one by now.
  if (isNoTime(read) || read.toISOString().slice(0, 10) !== day) return undefined;
  const shown = fieldsOf(exact);
  return shown.day === day && shown.time === seconds ? exact : instant;
}

/** How a form shows an instant: its day and its time in UTC, to the second. */
export function fieldsOf(instant: string): { readonly day: string; readonly time: string } {
  const read = new Date(instant);
  if (isNoTime(read)) return { day: '', time: '' };
  const [day = '', time = ''] = read.toISOString().split('T');
  return { day, time: time.slice(0, 8) };
}

export function isNoTime(date: Date): boolean {
  return Object.is(date.getTime(), NaN);
}
