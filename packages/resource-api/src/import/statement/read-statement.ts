/**
 * Reads a statement into rows, and reports every fault by row and column. Nothing is guessed: a cell
 * that the profile does not allow is a fault.
 */
import type { BusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { readDate } from '../cells/dates.ts';
import { cellText } from '../cells/text.ts';
import type { Cell, TableRow } from '../file/table.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { findColumns, headerOf } from './columns.ts';
import { ControlTotals } from './control-totals.ts';
import type { Report } from './report.ts';
import { RowChoice } from './row-choice.ts';
import { RowReader } from './row-reader.ts';
import type { StatementRow } from './statement-row.ts';

interface TitleDate {
  readonly row: number;
  readonly date: BusinessDate;
  readonly text: string;
}

/** What a statement is known by when all of its rows are read. */
export interface ReadStatement {
  asOf: BusinessDate | undefined;
  /** With and without faults. */
  rowCount: number;
  totals: ControlTotals;
  /** The first, of a file without a column for its date. */
  titleDate?: TitleDate | undefined;
  hasTotalsRow: boolean;
}

/** @param asOf the date of a file that has no column for it. */
export async function* readStatement(
  table: AsyncIterable<readonly TableRow[]>,
  profile: ImportProfile,
  asOf: BusinessDate | undefined,
  report: Report,
  read: Partial<ReadStatement> = {},
): AsyncGenerator<readonly StatementRow[]> {
  const totals = new ControlTotals(profile);
  const state = Object.assign(read, { asOf, rowCount: 0, totals, hasTotalsRow: false });
  let reader: RowReader | undefined;
  let choice: RowChoice | undefined;
  const preamble: TableRow[] = [];
  let faultsOfRows: number | undefined;
  let hasEnded = false;
  for await (const batch of table) {
    const rows: StatementRow[] = [];
    for (const line of batch) {
      if (line.row < profile.headerRow) {
        preamble.push(line);
        continue;
      }
      if (reader === undefined) {
        const header = headerOf(line, profile);
        const nearby = [...preamble, ...batch];
        const columns = findColumns({ header, row: line.row, nearby }, profile, report);
        if (columns === undefined) return;
        reader = new RowReader(columns, header, profile, report, asOf);
        if (profile.columns.asOf === undefined) {
          const found = datesIn(preamble, profile);
          state.titleDate = found[0];
          tellOtherDate(found, asOf, report);
        }
        choice = new RowChoice(header, line.row, profile, asOf, report);
        if (profile.headerRow > 0) continue;
      }
      const label = totalsLabel(line, profile);
      if (label !== undefined) {
        const last = reader;
        faultsOfRows ??= report.faultCount;
        const currency = totals.currencyIn(last.totalsCurrency(line)) ?? totals.currencyIn(label);
        if (hasEnded && (currency ?? codeIn(label)) !== undefined) {
          tellTotalsWithin(line.row, label, report);
          continue;
        }
        // Rows with a fault are not in the sums, which then differ for that alone.
        if (faultsOfRows === 0) {
          totals.compare(line, currency, (field, of) => last.total(line, field, of), report);
        }
        state.hasTotalsRow = true;
        // Totals of other currencies may follow.
        if (currency !== undefined) continue;
        yield rows;
        return;
      }
      hasEnded = state.hasTotalsRow;
      if (hasEnded) continue;
      if (choice?.leavesOut(line)) continue;
      state.rowCount += 1;
      const row = reader.read(line);
      state.asOf = reader.asOf;
      if (row === undefined) continue;
      totals.add(row);
      rows.push(row);
    }
    yield rows;
  }
  for (const currency of report.faultCount === 0 ? totals.currenciesWithoutTotals : []) {
    const message = `expected a row of totals of ${currency} too, which begins with ${profile.totalsRow}; the file may be cut`;
    report.fault(0, '', 'no_totals_row', message, currency);
  }
  reader?.reportDates();
  choice?.report(state.rowCount, report);
  if (reader === undefined) {
    const message =
      preamble.length > 0
        ? `expected a header in row ${profile.headerRow}; the file ends before it`
        : 'the file is empty';
    report.fault(profile.headerRow, '', 'no_header', message, '');
  } else if (state.rowCount === 0 && report.faultCount === 0) {
    const message = 'the file has a header and no loans below it';
    report.fault(profile.headerRow, '', 'no_rows', message, '');
  }
  if (profile.totalsRow !== undefined && !state.hasTotalsRow && state.rowCount > 0) {
    const message = `expected a last row that begins with ${profile.totalsRow}; the file has none, so it may be cut`;
    report.fault(0, '', 'no_totals_row', message, '');
  }
}

function datesIn(
  preamble: readonly TableRow[],
  { dateFormats, twoDigitYearsFrom }: ImportProfile,
): readonly TitleDate[] {
  const formats = [...new Set([...dateFormats, ...TITLE_DATES])];
  return preamble.flatMap(({ row, cells }) =>
    cells.flatMap((cell) =>
      phrasesOf(cell).flatMap((phrase) => {
        const date = readDate(phrase, formats, twoDigitYearsFrom);
        return date === undefined ? [] : [{ row, date, text: cellText(cell) }];
      }),
    ),
  );
}

/** A title that names another day than the one asked for: either may be mistyped. */
function tellOtherDate(
  found: readonly TitleDate[],
  asOf: BusinessDate | undefined,
  report: Report,
): void {
  const [first] = found;
  if (asOf === undefined || first === undefined || found.some(({ date }) => date === asOf)) return;
  const message = `the title says ${first.date}, and the statement is imported for ${asOf}: one of them may be mistyped`;
  report.warn(first.row, '', 'other_date_in_title', message, first.text);
}

/** No other day can be meant by these. */
const TITLE_DATES = [
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'D. MMM YYYY',
  'D MMM YYYY',
  'MMM D, YYYY',
  'MMM D YYYY',
];
const TITLE_WORDS = 3;

/** A date of a workbook, or each few words in a row. */
function phrasesOf(cell: Cell): readonly Cell[] {
  if (typeof cell !== 'string') return cell instanceof Date ? [cell] : [];
  const words = cell.split(/[\s:;()]+|,(?=\s|$)/).filter((word) => word !== '');
  return words.flatMap((_, at) =>
    Array.from({ length: TITLE_WORDS }, (_, more) => words.slice(at, at + more + 1).join(' ')),
  );
}

/** How a row of totals begins; undefined for other rows. */
function totalsLabel({ cells }: TableRow, { totalsRow }: ImportProfile): string | undefined {
  if (totalsRow === undefined) return undefined;
  const first = cells.map(cellText).find((text) => text !== '') ?? '';
  return first.toLowerCase().startsWith(totalsRow.toLowerCase()) ? first : undefined;
}

/** A currency of rows that were left out, too. */
function codeIn(label: string): string | undefined {
  return label.match(/\b[A-Z]{3}\b/g)?.find((code) => minorUnitDigits(code) !== undefined);
}

function tellTotalsWithin(row: number, label: string, report: Report): void {
  const message =
    'the rows of totals must follow each other at the end: rows before this one would be left out; ' +
    'take rows of subtotals out by leaveOut';
  report.fault(row, '', 'totals_within', message, label);
}
