import { forDisplay } from '@cls/shared/text';

/** A value that a table cell can hold. */
export type Cell = string | number | boolean | null;

const NUMBER = /^-?\d+(\.\d+)?$/;
/** What spreadsheets take for a formula, in full width too, or skip before one. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const QUOTED = /[",\r\n]/;
/** Text that stands for itself: most cells. */
const PLAIN = /^[\w.][ !#-+\--~]*$/;

/**
 * One line of RFC 4180. Text that begins like a formula gets an apostrophe before it; amounts are
 * plain decimals, the negative ones too. What would move the cursor of a terminal has a mark in its place.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  if (PLAIN.test(text)) return text;
  const shown = forDisplay(text);
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${shown}` : shown;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
