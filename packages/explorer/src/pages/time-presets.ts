import { isNoTime } from '../web/typed.ts';

interface Preset {
  readonly name: 'last' | 'month' | 'quarter' | 'year' | 'before';
  readonly day: string;
}

/** Those that lead somewhere. @param begins the first date with data; null: there is none. */
export function offered(last: string, begins: string | null): readonly Preset[] {
  return presetsOf(last).filter(({ day }) => begins === null || day >= begins);
}

/** Ends of periods before the last date of the book, and the same day a year before. */
export function presetsOf(last: string): readonly Preset[] {
  const end = new Date(`${last}T00:00:00Z`);
  const [year, month] = [end.getUTCFullYear(), end.getUTCMonth()];
  const endOf = (months: number) => dayOf(new Date(Date.UTC(year, months, 0)));
  const sameDay = new Date(Date.UTC(year - 1, month, end.getUTCDate()));
  // The 29th of February has no such day a year before: the last of that month has.
  const before =
    sameDay.getUTCMonth() === month ? sameDay : new Date(Date.UTC(year - 1, month + 1, 0));
  return [
    { name: 'last', day: last },
    { name: 'month', day: endOf(month) },
    { name: 'quarter', day: endOf(month - (month % 3)) },
    { name: 'year', day: endOf(0) },
    { name: 'before', day: dayOf(before) },
  ];
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The first and the last day of the quarter after that of a date. */
export function quarterAfter(day: string): readonly [string, string] {
  const date = new Date(`${day}T00:00:00Z`);
  if (isNoTime(date)) return [day, day];
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const first = month - (month % 3) + 3;
  return [dayOf(new Date(Date.UTC(year, first, 1))), dayOf(new Date(Date.UTC(year, first + 3, 0)))];
}

/** A date by whole days later, or earlier. What is no date stays: it is the API's to refuse. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (isNoTime(date)) return day;
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}
