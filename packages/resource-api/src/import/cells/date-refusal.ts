import type { Cell } from '../file/table.ts';
import { dateReadings } from './date-candidates.ts';
import { datePattern } from './date-pattern.ts';
import { type Obstacle, readAs } from './dates.ts';
import { cellText } from './text.ts';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  time: 'this one has a time of day that is not midnight',
  two_digit_year: 'to read years of two digits, declare twoDigitYearsFrom',
  phantom_day: 'day 60 of a workbook is 29 February 1900, which never was',
};

/** What was expected of a cell that `readDate` refused: a sentence, with the reason where the cell nearly reads. */
export function dateExpected(
  formats: readonly string[],
  cell: Cell,
  twoDigitYearsFrom?: number,
): string {
  const declared = formats.join(' or ');
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
  if (obstacle === undefined) return `expected a date as ${declared}${hintsFor(cell, formats)}`;
  const noun = obstacle === 'time' ? 'a date without a time of day' : 'a date';
  return `expected ${noun} as ${declared}; ${OBSTACLES[obstacle]}`;
}

const NO_DATE = '; if it stands for no date, declare it in emptyMarks';
/** Formats read no day of these: zeros for nothing, and what a spreadsheet shows for the number 0. */
const ZEROS = /^[0\s./-]+$|^1900-01-00|^0?0[./-]0?1[./-]1900|^0?1[./-]0?0[./-]1900/;

function hintsFor(cell: Cell, formats: readonly string[]): string {
  const text = cellText(cell);
  if (ZEROS.test(text)) return `; this is how programs write an empty date${NO_DATE}`;
  const hints = whatToDeclare(cell);
  if (hints !== '') return hints;
  const isShaped = formats.some((format) => datePattern(format)?.shape.test(text));
  return isShaped ? `; there is no such day${NO_DATE}` : '';
}

const MOST_HINTS = 3;

function whatToDeclare(cell: Cell): string {
  const hints = dateReadings([cell]).map(({ formats: [format = ''], days: [day] }) => {
    const century = /(?<!Y)YY(?!Y)/.test(format) ? ' and declare twoDigitYearsFrom' : '';
    return `; if this is ${day}, add '${format}' to dateFormats${century}`;
  });
  return hints.slice(0, MOST_HINTS).join('');
}
