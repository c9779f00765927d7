import { plainDecimal } from '../file/doubles.ts';
import type { Cell } from '../file/table.ts';

/**
 * A cell as reports and text fields have it: without space around it (no-break and thin spaces too);
 * without the formula `="00123"` by which spreadsheets keep zeros; a number as a plain decimal; a date of a workbook as `2025-03-31`, with its time when it has one.
 */
export function cellText(cell: Cell): string {
  if (typeof cell === 'string') {
    const text = cell.trim();
    return text.startsWith('="') ? (/^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? text) : text;
  }
  if (typeof cell === 'number') return plainDecimal(cell);
  if (Number.isNaN(cell.getTime())) return 'no date';
  const [date = '', time = ''] = cell.toISOString().split('T');
  const shown = time.replace(/\.000Z$|Z$/, '');
  return shown === '00:00:00' ? date : `${date}T${shown}`;
}

/** A text that is kept: a cut of the file's text would keep all of it in memory. */
export function kept(text: string): string {
  return Buffer.from(text).toString();
}
