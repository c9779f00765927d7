import type { Cell } from '../file/table.ts';
import { dateReadings } from './date-candidates.ts';
import { type Obstacle, readAs } from './dates.ts';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  time: 'this one has a time of day that is not midnight',
  two_digit_year: 'to read years of two digits, declare twoDigitYearsFrom',
  phantom_day: 'day 60 of a workbook is 29 February 1900, which never was',
};

/**
 * What was expected of a cell that `readDate` refused: a sentence, with the reason where the cell is
 * given and nearly reads.
 */
export function dateExpected(
  formats: readonly string[],
  cell?: Cell,
  twoDigitYearsFrom?: number,
): string {
  const declared = formats.join(' or ');
  if (cell === undefined) return `expected a date as ${declared}`;
  const days = new Map<string, string>();
  let obstacle: Obstacle | undefined;
  for (const format of formats) {
    const reading = readAs(cell, format, twoDigitYearsFrom);
    if (typeof reading === 'string') days.set(reading, `${reading} as ${format}`);
    else obstacle ??= reading?.obstacle;
  }
  if (days.size > 1) {
    return `expected a date with one meaning; this is ${[...days.values()].join(' and ')}`;
  }
  if (obstacle === undefined) return `expected a date as ${declared}${whatToDeclare(cell)}`;
  const noun = obstacle === 'time' ? 'a date without a time of day' : 'a date';
  return `expected ${noun} as ${declared}; ${OBSTACLES[obstacle]}`;
}

const MOST_HINTS = 3;

function whatToDeclare(cell: Cell): string {
  const hints = dateReadings([cell]).map(({ formats: [format = ''], days: [day] }) => {
    const century = /(?<!Y)YY(?!Y)/.test(format) ? ' and declare twoDigitYearsFrom' : '';
    return `; if this is ${day}, add '${format}' to dateFormats${century}`;
  });
  return hints.slice(0, MOST_HINTS).join('');
}
