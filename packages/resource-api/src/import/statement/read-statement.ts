/**
 * Reads a statement into rows, and reports every fault by row and column. Nothing is guessed: a cell
 * that the profile does not allow is a fault.
 */
import type { BusinessDate } from '../../ledger/business-date.ts';
import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { findColumns, headerOf } from './columns.ts';
import { ControlTotals } from './control-totals.ts';
import type { Report } from './report.ts';
import { RowChoice } from './row-choice.ts';
import { RowReader } from './row-reader.ts';
import type { StatementRow } from './statement-row.ts';

/** What a statement is known by when all of its rows are read. */
export interface ReadStatement {
  asOf: BusinessDate | undefined;
  /** With and without faults. */
  rowCount: number;
  totals: ControlTotals;
  /** The file has a row of totals, which were compared. */
  hasTotalsRow: boolean;
}

/**
 * @param asOf the date of a file that has no column for it.
 * @param read takes what is known in the end.
 */
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
        reader = new RowReader({ columns, header, profile, report, asOf });
        choice = new RowChoice(header, line.row, { profile, asOf, report });
        if (profile.headerRow > 0) continue;
      }
      if (isTotals(line, profile)) {
        const last = reader;
        // Rows with a fault are not in the sums, which then differ for that alone.
        if (report.faultCount === 0) {
          totals.compare(line, (field, of) => last.total(line, field, of), report);
        }
        state.hasTotalsRow = true;
        yield rows;
        return;
      }
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

function isTotals({ cells }: TableRow, { totalsRow }: ImportProfile): boolean {
  if (totalsRow === undefined) return false;
  const first = cells.map(cellText).find((text) => text !== '') ?? '';
  return first.toLowerCase().startsWith(totalsRow.toLowerCase());
}
