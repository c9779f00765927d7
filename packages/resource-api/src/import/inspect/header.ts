import type { Cell, TableRow } from '../file/table.ts';
import type { Dictionary } from './dictionary.ts';

/** Rows before the header at most; profiles allow more. */
export const HEADER_WITHIN = 60;

export function headerScore(cells: readonly Cell[], dictionary: Dictionary): number {
  return cells.filter(
    (cell) =>
      typeof cell === 'string' &&
      cell.length < 80 &&
      dictionary.exact.has(dictionary.wordsOf(cell).join(' ')),
  ).length;
}

/**
 * The row of names: the one with most names that the dictionary knows, or the first row of texts that
 * is as wide as the table, over a row that has something else. Undefined when the rows begin with values.
 */
export function findHeader(rows: readonly TableRow[], dictionary: Dictionary): number | undefined {
  const widths = rows.map(filledOf).filter((width) => width > 1);
  const width = widths.length === 0 ? 1 : median(widths);
  const candidates = rows.slice(0, HEADER_WITHIN).flatMap(({ cells }, index) => {
    const filled = filledOf({ cells });
    const isWide = filled >= Math.max(2, width * 0.5);
    if (!isWide || cells.filter(isName).length < filled * 0.8) return [];
    return [{ index, known: headerScore(cells, dictionary), filled }];
  });
  const best = candidates.toSorted(
    (one, other) => other.known - one.known || one.index - other.index,
  )[0];
  if (best === undefined) return undefined;
  if (best.known >= 2) return best.index;
  const first = candidates.find(({ filled }) => filled >= width * 0.7) ?? best;
  return looksLikeValues(rows, first.index) ? undefined : first.index;
}

/** Of no numbers it is 0. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function filledOf({ cells }: Pick<TableRow, 'cells'>): number {
  return cells.filter((cell) => !isBlank(cell)).length;
}

/** A header's cells differ from one another, and from the rows below. */
function looksLikeValues(rows: readonly TableRow[], at: number): boolean {
  const texts = (rows[at]?.cells ?? []).filter((cell) => !isBlank(cell)).map(String);
  if (new Set(texts).size < texts.length) return true;
  const below = rows.slice(at + 1, at + 20).flatMap(({ cells }) => cells.map(String));
  return texts.some((text) => text !== '' && below.includes(text));
}

export function isBlank(cell: Cell | undefined): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

/** A text with a letter that is no date: what a name of a column is. */
function isName(cell: Cell): boolean {
  return typeof cell === 'string' && /\p{L}/u.test(cell) && !/^\d|\d{4}-\d{2}/.test(cell.trim());
}
