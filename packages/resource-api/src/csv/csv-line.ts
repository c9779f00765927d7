/** A value that a table cell can hold. */
export type Cell = string | number | boolean | null;

const NUMBER = /^-?\d+(\.\d+)?$/;
/** What spreadsheets take for a formula, or skip before one. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;
/** Text that stands for itself: most cells. */
const PLAIN = /^[\w.][^",\r\n]*$/;

/**
 * One line of RFC 4180. Text that begins like a formula gets an apostrophe before it; amounts are
 * plain decimals, the negative ones too.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  if (PLAIN.test(text)) return text;
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
