import { type BusinessDate, businessDateOf, daysAfter } from './business-date.ts';

export const INTERVALS = ['month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Both days inclusive. */
export interface Period {
  readonly from: BusinessDate;
  readonly to: BusinessDate;
}

const MONTHS: Readonly<Record<Interval, number>> = { month: 1, quarter: 3, year: 12 };

/** The last day of the calendar's month, quarter or year. */
export function endOf(interval: Interval, date: BusinessDate): BusinessDate {
  const [year = 0, month = 0] = date.split('-').map(Number);
  const months = MONTHS[interval];
  const last = Math.ceil(month / months) * months;
  return businessDateOf(new Date(Date.UTC(year, last, 0)));
}

/** The intervals between two days, the first and the last of them cut; up to `most`. */
export function periodsOf(interval: Interval, { from, to }: Period, most: number): Period[] {
  const periods: Period[] = [];
  for (let start = from; start <= to && periods.length < most; ) {
    const end = endOf(interval, start);
    periods.push({ from: start, to: end < to ? end : to });
    start = daysAfter(end, 1);
  }
  return periods;
}
