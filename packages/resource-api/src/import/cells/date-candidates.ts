import type { BusinessDate } from '../../ledger/business-date.ts';
import type { Cell } from '../file/table.ts';
import { readDate } from './dates.ts';

/** The stricter format before the one that also reads it. */
const KNOWN_FORMATS: readonly string[] = [
  'YYYY-MM-DD',
  'YYYY-MM-DDThh:mm:ss',
  'YYYY-MM-DD hh:mm',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYYMMDD',
  ...['/', '.', '-'].flatMap((mark) =>
    ['DD?MM?YYYY', 'MM?DD?YYYY', 'D?M?YYYY', 'M?D?YYYY'].flatMap((order) =>
      ['', ' hh:mm:ss', ' h:mm', ' hh:mm:ss AM', ' h:mm:ss AM', ' h:mm AM'].map(
        (time) => order.replaceAll('?', mark) + time,
      ),
    ),
  ),
  ...['/', '.', '-'].flatMap((mark) =>
    ['DD?MM?YY', 'MM?DD?YY', 'D?M?YY', 'M?D?YY', 'YY?MM?DD'].map((order) =>
      order.replaceAll('?', mark),
    ),
  ),
  ...['D-MMM-YYYY', 'D MMM YYYY', 'D. MMM YYYY', 'D/MMM/YYYY', 'DDMMMYYYY', 'MMM D, YYYY'],
  ...['MMM D YYYY', 'YYYY-MMM-DD', 'D-MMM-YY', 'D MMM YY', 'D. MMM YY', 'DDMMMYY'],
  ...['DDMMYYYY', 'MMDDYYYY', 'YYMMDD', 'DDMMYY', 'MMDDYY'],
  ...['YYYY-MM', 'YYYY/MM', 'MM/YYYY', 'MM-YYYY', 'MM.YYYY', 'M/YYYY', 'YYYYMM', 'MMYYYY'],
  ...['MMM-YY', 'MMM YY', 'MMM-YYYY', 'MMM YYYY', 'MM/YY'],
  'serial',
];
const SOME_CENTURY = 1950;
/** Loans: an account number that looks like a day is seldom one of these. */
const [EARLIEST, LATEST] = ['1900-01-01', '2199-12-31'];

export interface DateReading {
  /** All read the samples as the same days; the strictest is first. */
  readonly formats: readonly string[];
  /** Of the samples that no workbook declares as dates, in their order. */
  readonly days: readonly BusinessDate[];
}

/**
 * What the samples are under each known format that reads all of them as days from 1900 to 2199:
 * several readings are a question that only the sender can answer. Years of two digits are told from
 * 1950 on. Dates of a workbook need no format and are left out.
 */
export function dateReadings(samples: readonly Cell[]): readonly DateReading[] {
  const cells = samples.filter((cell) => !(cell instanceof Date));
  if (cells.length === 0) return [];
  const readings = new Map<string, { formats: string[]; days: readonly BusinessDate[] }>();
  for (const format of KNOWN_FORMATS) {
    const days = daysAs(format, cells);
    if (days === undefined) continue;
    const reading = readings.get(days.join());
    if (reading) reading.formats.push(format);
    else readings.set(days.join(), { formats: [format], days });
  }
  return [...readings.values()];
}

function daysAs(format: string, cells: readonly Cell[]): readonly BusinessDate[] | undefined {
  const days: BusinessDate[] = [];
  for (const cell of cells) {
    const day = readDate(cell, [format], SOME_CENTURY);
    if (day === undefined || day < EARLIEST || day > LATEST) return undefined;
    days.push(day);
  }
  return days;
}
