import { DAY_MS } from '@cls/shared/clock';
/** A calendar date as `YYYY-MM-DD`: no time, no zone. Compares and sorts as text. */
export type BusinessDate = string & { readonly __businessDate: true };

/** The days that the book knows. */
export const DATES_RANGE = 'from 0100-01-01 to 9999-12-31';
const SHAPE = /^\d{4}-\d{2}-\d{2}$/;
/** Of each month, in a year without a leap day. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The date, or undefined when the text is not a day of the calendar (2023-02-30). */
export function parseBusinessDate(text: string): BusinessDate | undefined {
  if (!SHAPE.test(text) || text < '0100') return undefined;
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  const leaps = month === 2 && isLeap(Number(text.slice(0, 4)));
  const exists = day >= 1 && day <= (leaps ? 29 : (DAYS[month - 1] ?? 0));
  return exists ? (text as BusinessDate) : undefined;
}

export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Each request asks for today. */
let latest = { day: Number.NaN, date: '' as BusinessDate };

/** The date in UTC. */
export function businessDateOf(instant: Date): BusinessDate {
  const day = Math.floor(instant.getTime() / DAY_MS);
  if (day !== latest.day) {
    latest = { day, date: instant.toISOString().slice(0, 10) as BusinessDate };
  }
  return latest.date;
}

export function daysAfter(date: BusinessDate, days: number): BusinessDate {
  const instant = new Date(`${date}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + days);
  return businessDateOf(instant);
}

/** The same day of a later month, or that month's last day. */
export function monthsAfter(date: BusinessDate, months: number): BusinessDate {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return businessDateOf(new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))));
}

/** The calendar day before. */
export function dayBefore(date: BusinessDate): BusinessDate {
  return daysAfter(date, -1);
}
