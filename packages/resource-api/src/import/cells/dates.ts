import { DAY_MS } from '@cls/shared/clock';
import { z } from 'zod';
import {
  type BusinessDate,
  businessDateOf,
  parseBusinessDate,
} from '../../ledger/business-date.ts';
import { endOf } from '../../ledger/interval.ts';
import { plainDecimal } from '../file/doubles.ts';
import { PHANTOM_DAY, serialDate } from '../file/serial-dates.ts';
import type { Cell } from '../file/table.ts';
import { type DatePattern, datePattern } from './date-pattern.ts';
import { monthNamed } from './month-names.ts';

/** A workbook's day number, as text or as a number. */
const SERIAL = 'serial';

/** One format of dates: a pattern such as `DD.MM.YYYY`, or `serial`. */
export const DATE_FORMAT = z
  .string()
  .refine(
    (format) => format === SERIAL || datePattern(format) !== undefined,
    'expected a pattern such as DD.MM.YYYY: a year (YYYY, YY), a month (MM, M, MMM, MMMM for names) ' +
      'and a day (DD, D; the last of the month when there is none), then perhaps a time after a ' +
      'space, a comma or T (hh:mm, hh:mm:ss, h:mm, each with AM); between them - / . , or a space; ' +
      'a single M or D touches no other digits; or serial, the day number of a workbook',
  );

/** What stands in the way of a date that a format would read. */
export type Obstacle = 'time' | 'two_digit_year' | 'phantom_day';
type Reading = BusinessDate | { readonly obstacle: Obstacle } | undefined;

/**
 * Reads a day by the formats declared. A date of a workbook needs no format.
 *
 * @returns undefined when no format reads the cell, when two read different days, or when the time of
 *   day is not midnight. `dateExpected` (date-refusal.ts) says which.
 */
export function readDate(
  cell: Cell,
  formats: readonly string[],
  twoDigitYearsFrom?: number,
): BusinessDate | undefined {
  let date: BusinessDate | undefined;
  for (const format of formats) {
    const reading = readAs(cell, format, twoDigitYearsFrom);
    if (typeof reading !== 'string' || reading === date) continue;
    if (date !== undefined) return undefined;
    date = reading;
  }
  return date;
}

export function readAs(cell: Cell, format: string, yearsFrom: number | undefined): Reading {
  if (cell instanceof Date) return dayOf(cell);
  const text = typeof cell === 'number' ? plainDecimal(cell) : cell.trim();
  if (format === SERIAL) return daySerial(text);
  // 20250331 is a number in many workbooks; 3.25 is no March.
  if (typeof cell === 'number' && !Number.isSafeInteger(cell)) return undefined;
  const pattern = datePattern(format);
  const groups = pattern?.shape.exec(text)?.groups;
  return pattern && groups && dayIn(groups, pattern, yearsFrom);
}

function dayOf(cell: Date): Reading {
  const time = cell.getTime();
  if (Number.isNaN(time)) return undefined;
  return time % DAY_MS === 0 ? parseBusinessDate(businessDateOf(cell)) : { obstacle: 'time' };
}

function daySerial(text: string): Reading {
  const [, days = '0', fraction = ''] = /^(\d{1,7})(\.\d{1,15})?$/.exec(text) ?? [];
  const date = serialDate(Number(days), false);
  if (!(date instanceof Date) && date !== PHANTOM_DAY) return undefined;
  if (/[1-9]/.test(fraction)) return { obstacle: 'time' };
  return date instanceof Date ? dayOf(date) : { obstacle: 'phantom_day' };
}

type Groups = Readonly<Record<string, string | undefined>>;

function dayIn(groups: Groups, { monthOnly }: DatePattern, yearsFrom: number | undefined): Reading {
  const month = groups['name'] === undefined ? groups['month'] : monthNamed(groups['name']);
  if (month === undefined) return undefined;
  const year = groups['year'] ?? fullYear(Number(groups['short']), yearsFrom);
  const day = monthOnly ? 1 : (groups['day'] ?? '');
  // Of an unknown century the leap year decides whether there is a 29 February.
  const date = parseBusinessDate(`${year ?? '2000'}-${pad(month)}-${pad(day)}`);
  if (date === undefined) return undefined;
  if (year === undefined) return { obstacle: 'two_digit_year' };
  if (!isMidnight(groups)) return { obstacle: 'time' };
  return monthOnly ? endOf('month', date) : date;
}

function pad(digits: string | number): string {
  return `${digits}`.padStart(2, '0');
}

/** The one of the hundred years from the first on that ends with these digits. */
function fullYear(digits: number, first: number | undefined): string | undefined {
  if (first === undefined) return undefined;
  return `${first + ((digits - (first % 100) + 100) % 100)}`;
}

function isMidnight({ hour, minute, second, half }: Groups): boolean {
  const midnight = half === undefined ? 0 : 12;
  const starts = hour === undefined || (Number(hour) === midnight && half !== 'PM');
  return starts && Number(minute ?? 0) === 0 && Number(second ?? 0) === 0;
}
