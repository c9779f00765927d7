/** What a cell's number format says about its number (ECMA-376, 18.8.30 and 18.8.31). */

export type NumberFormat = 'plain' | 'date' | 'percent';

/** Formats that every workbook has and does not list; the dates of East Asia too. */
const BUILT_IN_DATES = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
const BUILT_IN: ReadonlyMap<number, NumberFormat> = new Map([
  [9, 'percent'],
  [10, 'percent'],
  ...BUILT_IN_DATES.map((id) => [id, 'date'] as const),
]);

/** Excel takes 255. To look for brackets takes time with the square of it. */
const CODE_MAX_CHARS = 1_000;

/** A format that shows a day makes a date; one of a time or a duration alone does not. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return BUILT_IN.get(id) ?? 'plain';
  const [section = ''] = code
    .slice(0, CODE_MAX_CHARS)
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .toLowerCase()
    .split(';');
  if (/[yd]/.test(section)) return 'date';
  if (section.includes('%')) return 'percent';
  return section.includes('m') && !/[hs0#?]/.test(section) ? 'date' : 'plain';
}
