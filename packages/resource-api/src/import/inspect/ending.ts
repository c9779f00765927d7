import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import { type Dictionary, plain } from './dictionary.ts';
import { filledOf, isBlank } from './header.ts';

/**
 * The first of the last rows that is no loan: totals by their word or by being numbers alone, or the
 * first of notes; −1 where all are loans.
 *
 * @param rows before the last ones.
 */
export function endingOf(
  last: readonly TableRow[],
  rows: number,
  usual: number,
  dictionary: Dictionary,
): number {
  return last.findIndex((row, index) => {
    const label = labelOf(row, dictionary);
    if (label !== undefined && filledOf(row) <= usual * 0.8) return true;
    const isLast = last.slice(index + 1).every((each) => isFooter(each, usual));
    if (!isLast) return false;
    if (isFooter(row, usual)) return true;
    if (label !== undefined && label === firstText(row)?.replace(/\s*:$/, '')) return true;
    return rows + index > 2 && isNumbersAlone(row) && filledOf(row) <= usual * 0.6;
  });
}

export function isFooter(row: TableRow, usual: number): boolean {
  if (usual < 4 || filledOf(row) > 2) return false;
  return row.cells.some((cell) => typeof cell === 'string' && /\p{L}{2}/u.test(cell));
}

function isNumbersAlone({ cells }: TableRow): boolean {
  const filled = cells.filter((cell) => !isBlank(cell));
  return filled.every(
    (cell) => typeof cell === 'number' || /^[\d.,'\s€$£()-]+$/.test(cellText(cell)),
  );
}

function firstText({ cells }: Pick<TableRow, 'cells'>): string | undefined {
  const first = cells.find((cell) => !isBlank(cell));
  return typeof first === 'string' ? first.trim() : undefined;
}

/** The words with which a row of totals begins, as the file has them. */
export function labelOf(
  { cells }: Pick<TableRow, 'cells'>,
  { totals, totalsStarts }: Dictionary,
): string | undefined {
  const first = firstText({ cells });
  if (first === undefined || !/^\p{L}/u.test(first)) return undefined;
  const start = /^[\p{L}-]+/u.exec(first)?.[0].toLowerCase() ?? '';
  if (!totalsStarts.has(start)) return undefined;
  const words = first.split(/(?<=[\p{L}-])(?=[^\p{L}-])/u);
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const label = words.slice(0, count).join('').trim();
    if (totals.has(plain(label))) return label;
  }
  return undefined;
}
