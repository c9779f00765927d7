import { DAY_MS } from '@cls/shared/clock';
/**
 * Day counts: how much of a year lies between two dates, start inclusive, end exclusive. Fractions
 * are integers of 1/YEAR_PARTS of a year, which every basis divides, so that nothing is rounded.
 */
import { type BusinessDate, isLeap } from './business-date.ts';

/**
 * `ACT/360` and `ACT/365F`: actual days. `30/360`: bond basis (ISDA 2006 §4.16(f)). `ACT/ACT`:
 * ISDA (§4.16(b)), days in leap years over 366 and others over 365.
 */
export const DAY_COUNTS = ['ACT/360', 'ACT/365F', '30/360', 'ACT/ACT'] as const;
export type DayCount = (typeof DAY_COUNTS)[number];

/** The least common multiple of 360, 365 and 366. */
export const YEAR_PARTS = 1_603_080n;
/** Of a day, by the days that a year counts as. */
const DAY_PARTS = { 360: YEAR_PARTS / 360n, 365: YEAR_PARTS / 365n, 366: YEAR_PARTS / 366n };

export interface YearFraction {
  readonly days: number;
  /** Of `YEAR_PARTS`. */
  readonly parts: bigint;
}

/**
 * The part `[start, end)` of an accrual period that began at `from`. Parts telescope: however a
 * period is cut, its parts add up to the whole, also where 30/360 itself would not.
 */
export function yearFraction(
  dayCount: DayCount,
  from: BusinessDate,
  start: BusinessDate,
  end: BusinessDate,
): YearFraction {
  const whole = since(dayCount, from, end);
  if (start === from) return whole;
  const before = since(dayCount, from, start);
  return { days: whole.days - before.days, parts: whole.parts - before.parts };
}

function since(dayCount: DayCount, from: BusinessDate, to: BusinessDate): YearFraction {
  switch (dayCount) {
    case '30/360':
      return over(360, bondDays(from, to));
    case 'ACT/360':
      return over(360, actualDays(from, to));
    case 'ACT/365F':
      return over(365, actualDays(from, to));
    case 'ACT/ACT': {
      const days = actualDays(from, to);
      const leap = leapDays(to) - leapDays(from);
      const parts = over(366, leap).parts + over(365, days - leap).parts;
      return { days, parts };
    }
  }
}

function over(basis: keyof typeof DAY_PARTS, days: number): YearFraction {
  return { days, parts: BigInt(days) * DAY_PARTS[basis] };
}

export function actualDays(from: BusinessDate, to: BusinessDate): number {
  return dayNumber(to) - dayNumber(from);
}

/** Since 1970. */
export function dayNumber(date: BusinessDate): number {
  return Date.parse(date) / DAY_MS;
}

/** D1 = 31 counts as 30; D2 = 31 counts as 30 where D1 is 30 or 31. */
function bondDays(from: BusinessDate, to: BusinessDate): number {
  const first = Math.min(dayOfMonth(from), 30);
  const day = dayOfMonth(to);
  const last = day === 31 && first === 30 ? 30 : day;
  return 30 * (monthsOf(to) - monthsOf(from)) + (last - first);
}

function dayOfMonth(date: BusinessDate): number {
  return Number(date.slice(8));
}

/** Since the year 0. */
function monthsOf(date: BusinessDate): number {
  return 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7));
}

/** Days of leap years before a date, counted from the year 0. */
function leapDays(date: BusinessDate): number {
  const year = Number(date.slice(0, 4));
  const past = year - 1;
  const leapYears = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const inThisYear = actualDays(`${date.slice(0, 4)}-01-01` as BusinessDate, date);
  return leapYears * 366 + (isLeap(year) ? inThisYear : 0);
}

/** `30/360 from a 30th`: of periods that begin on a 30th or 31st. To them, a 31st is a 30th. */
export type Scale = DayCount | '30/360 from a 30th';

/**
 * Where a date stands on each scale, in parts of `YEAR_PARTS`: the fraction of a year between two dates is
 * the difference of their places. Numbers hold them exactly: 10,000 years are less than 2^34 parts.
 */
export interface Day extends Readonly<Record<Scale, number>> {
  readonly number: number;
  readonly ofMonth: number;
}

export function dayOn(date: BusinessDate): Day {
  const number = dayNumber(date);
  const ofMonth = dayOfMonth(date);
  const months = 30 * monthsOf(date);
  return {
    number,
    ofMonth,
    'ACT/360': Number(over(360, number).parts),
    'ACT/365F': Number(over(365, number).parts),
    'ACT/ACT': Number(since('ACT/ACT', '1970-01-01' as BusinessDate, date).parts),
    '30/360': Number(over(360, months + ofMonth).parts),
    '30/360 from a 30th': Number(over(360, months + Math.min(ofMonth, 30)).parts),
  };
}

/** All scales of a day count. */
export function scalesOf(dayCount: DayCount): readonly Scale[] {
  return dayCount === '30/360' ? ['30/360', '30/360 from a 30th'] : [dayCount];
}

/** The scale of a period that begins on a day. */
export function scaleFrom(dayCount: DayCount, { ofMonth }: Day): Scale {
  return dayCount === '30/360' && ofMonth >= 30 ? '30/360 from a 30th' : dayCount;
}
