import { FIELDS, type Field } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { Report } from './report.ts';

/** Columns that the file has once: rows are checked in these, whatever other columns are missing. */
export type Columns = ReadonlyMap<Field, { readonly index: number; readonly header: string }>;

/** Headers drift between files: case, accents, marks, spaces and a unit in brackets do not count. */
export function headerName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\(us\$\)/, '')
    .replace(/['’\p{M}]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const DELIMITERS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

/** @returns undefined, with a fault, when the header is cut at another character. */
export function findColumns(
  header: readonly string[],
  row: number,
  profile: ImportProfile,
  report: Report,
): Columns | undefined {
  const other = otherDelimiter(header, profile.delimiter);
  if (other !== undefined) {
    const expected = nameOf(profile.delimiter);
    const message = `expected columns separated by ${expected}; this file separates them by ${nameOf(other)}`;
    report.fault(row, '', 'wrong_delimiter', message, header[0] ?? '');
    return undefined;
  }
  const names = header.map(headerName);
  const columns = new Map<Field, { index: number; header: string }>();
  for (const field of FIELDS) {
    const accepted = profile.columns[field];
    if (accepted === undefined) continue;
    const wanted = accepted.map(headerName);
    const [index, second] = names.flatMap((name, at) => (wanted.includes(name) ? [at] : []));
    const told = accepted[0] ?? field;
    if (index === undefined) {
      report.fault(row, told, 'missing_column', 'this column is missing', '');
    } else if (second !== undefined) {
      const message = 'this column appears twice';
      report.fault(row, told, 'duplicate_column', message, header[second] ?? '');
    } else columns.set(field, { index, header: header[index] ?? '' });
  }
  return columns;
}

/** What a header of one cell seems to be separated by. */
function otherDelimiter(header: readonly string[], declared: string): string | undefined {
  const [cell = '', ...others] = header;
  if (others.length > 0) return undefined;
  return Object.keys(DELIMITERS).find((mark) => mark !== declared && cell.includes(mark));
}

function nameOf(delimiter: string): string {
  return (DELIMITERS as Record<string, string>)[delimiter] ?? `“${delimiter}”`;
}
