import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import { FIELDS, type Field } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { Report } from './report.ts';

/** Columns that a file has once, by what they hold. */
export type ColumnsOf<F extends string> = ReadonlyMap<
  F,
  { readonly index: number; readonly header: string }
>;
/** Rows are checked in these, whatever other columns are missing. */
export type Columns = ColumnsOf<Field>;

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

/** Where columns of one of these names stand, from 0; `#3` is the third, whatever its name. */
export function placesOf(header: readonly string[], accepted: readonly string[]): number[] {
  const wanted = new Set(accepted.filter((name) => !PLACE.test(name)).map(headerName));
  const named = header.flatMap((name, at) => (wanted.has(headerName(name)) ? [at] : []));
  const placed = accepted.flatMap((name) => {
    const place = Number(PLACE.exec(name)?.[1] ?? 0) - 1;
    return place >= 0 && place < header.length ? [place] : [];
  });
  return [...new Set([...named, ...placed])];
}

const PLACE = /^#([1-9]\d{0,4})$/;

/** Whether a row has one of the profile's columns, or all of them. */
export function hasColumns(
  header: readonly string[],
  { columns }: ImportProfile,
  which: 'some' | 'every',
): boolean {
  const accepted = Object.values(columns);
  return accepted[which]((names) => names !== undefined && placesOf(header, names).length > 0);
}

const DELIMITERS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

interface Header {
  readonly header: readonly string[];
  readonly row: number;
  /** Rows before and after it, among which the right header may be. */
  readonly nearby: readonly TableRow[];
}

/** @returns undefined, with a fault, when the header is cut at another character, or is none. */
export function findColumns(
  { header, row, nearby }: Header,
  profile: ImportProfile,
  report: Report,
): Columns | undefined {
  const other = otherDelimiter(header, profile);
  if (other !== undefined) {
    const message =
      `expected columns separated by ${delimiterName(profile.delimiter)}; this file separates them by ` +
      `${delimiterName(other)}: declare delimiter: ${JSON.stringify(other)}`;
    report.fault(row, '', 'wrong_delimiter', message, header[0] ?? '');
    return undefined;
  }
  if (!hasColumns(header, profile, 'some')) {
    report.fault(row, '', 'wrong_header', noHeader(row, nearby, profile), header.join(', '));
    return undefined;
  }
  return columnsOf(FIELDS, profile.columns, { header, row }, report);
}

/** Without a header, columns are called by their place. */
export function headerOf({ cells }: TableRow, { headerRow }: ImportProfile): readonly string[] {
  return headerRow === 0 ? cells.map((_, at) => `#${at + 1}`) : cells.map(cellText);
}

/** Where the column of each field stands, by its accepted names. One that is missing or there twice is a fault. */
export function columnsOf<F extends string>(
  fields: readonly F[],
  accepted: Readonly<Partial<Record<F, readonly string[] | undefined>>>,
  { header, row }: Pick<Header, 'header' | 'row'>,
  report: Report,
  file = 'the file',
): ColumnsOf<F> {
  const columns = new Map<F, { index: number; header: string }>();
  for (const field of fields) {
    const names = accepted[field];
    if (names === undefined) continue;
    const [index, second] = placesOf(header, names);
    const told = names[0] ?? field;
    if (index === undefined) {
      report.fault(row, told, 'missing_column', missing(file, header), names.join(', '));
    } else if (second !== undefined) {
      const message = duplicateColumn(index, second);
      report.fault(row, told, 'duplicate_column', message, header[second] ?? '');
    } else columns.set(field, { index, header: header[index] || `#${index + 1}` });
  }
  return columns;
}

/** @param index where it stands first, from 0 */
export function duplicateColumn(index: number, second: number): string {
  return (
    `this column appears twice, as number ${index + 1} and as number ${second + 1}: ` +
    `name the right one by its place, such as "#${index + 1}"`
  );
}

const NEARBY_ROWS = 100;

function noHeader(row: number, nearby: readonly TableRow[], profile: ImportProfile): string {
  const names = Object.values(profile.columns).flatMap((accepted) => accepted?.[0] ?? []);
  const expected = `expected a header with ${names.join(', ')}; row ${row} has none of them`;
  const better = nearby
    .slice(0, NEARBY_ROWS)
    .find(({ cells }) => hasColumns(cells.map(cellText), profile, 'every'));
  if (better !== undefined)
    return `${expected}, and row ${better.row} has all: declare headerRow: ${better.row}`;
  const downwards = nearby.map(({ cells }) => cellText(cells[0] ?? ''));
  if (hasColumns(downwards, profile, 'every')) {
    return `${expected}: they stand below each other in the first column, so that loans are columns; transpose the table in a spreadsheet`;
  }
  return `${expected}: declare as headerRow which row has, and 0 where the file has no header`;
}

const NAMES_SHOWN = 40;

function missing(file: string, header: readonly string[]): string {
  const shown = header.filter((name) => name !== '').slice(0, NAMES_SHOWN);
  const more = header.length > NAMES_SHOWN ? `, and ${header.length - NAMES_SHOWN} more` : '';
  return `${file} has no column of this name; it has ${shown.join(', ')}${more}`;
}

/** What a header without the profile’s columns seems to be separated by. */
function otherDelimiter(header: readonly string[], profile: ImportProfile): string | undefined {
  // A comma in a name makes two cells of a header that semicolons separate.
  if (header.length > 1 && hasColumns(header, profile, 'some')) return undefined;
  const cell = header.join(profile.delimiter);
  return Object.keys(DELIMITERS).find((mark) => {
    if (mark === profile.delimiter || !cell.includes(mark)) return false;
    return profile.headerRow === 0 || hasColumns(cell.split(mark), profile, 'some');
  });
}

export function delimiterName(delimiter: string): string {
  return (DELIMITERS as Record<string, string>)[delimiter] ?? `“${delimiter}”`;
}
