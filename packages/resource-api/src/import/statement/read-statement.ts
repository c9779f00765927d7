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
import { isTotalsWord } from './loan-key.ts';
import type { Report } from './report.ts';
import { RowChoice } from './row-choice.ts';
import { RowReader } from './row-reader.ts';
import type { StatementRow } from './statement-row.ts';

interface TitleDate {
  readonly row: number;
  readonly date: BusinessDate;
  readonly text: string;
}

interface BelowHeader {
  readonly rows: RowReader;
  readonly choice: RowChoice;
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
  const statement = new StatementReader(profile, asOf, report, read);
  for await (const batch of table) {
    const rows: StatementRow[] = [];
    for (const line of batch) {
      const row = statement.take(line, batch);
      if (row !== undefined) rows.push(row);
      if (statement.isOver) break;
    }
    yield rows;
    if (statement.isOver) return;
  }
  statement.end();
}

/** What is above the header, the header, the loans, and rows of totals, one line after the other. */
class StatementReader {
  /** What follows is not read: the header has a fault. */
  isOver = false;
  readonly #profile: ImportProfile;
  readonly #asOf: BusinessDate | undefined;
  readonly #report: Report;
  readonly #read: ReadStatement;
  readonly #preamble: TableRow[] = [];
  #below: BelowHeader | undefined;
  /** Until the rows of loans have ended, nothing is said of them together. */
  #faultsOfRows: number | undefined;
  /** Whether a row that is none of totals came after one. */
  #isAfterTotals = false;
  /** Whether the totals of all loans were read: no others follow. */
  #hasEnded = false;
  /** The first row below the totals that seems to be a loan. */
  #loanBelow: TableRow | undefined;
  #loansBelow = 0;

  constructor(
    profile: ImportProfile,
    asOf: BusinessDate | undefined,
    report: Report,
    read: Partial<ReadStatement>,
  ) {
    this.#profile = profile;
    this.#asOf = asOf;
    this.#report = report;
    const totals = new ControlTotals(profile);
    this.#read = Object.assign(read, { asOf, rowCount: 0, totals, hasTotalsRow: false });
  }

  /** @returns undefined for a line that is no loan, or has a fault, which is then reported. */
  take(line: TableRow, batch: readonly TableRow[]): StatementRow | undefined {
    if (line.row < this.#profile.headerRow) {
      this.#preamble.push(line);
      return undefined;
    }
    if (this.#below === undefined) {
      this.#takeHeader(line, batch);
      if (this.#below === undefined || this.#profile.headerRow > 0) return undefined;
    }
    const { rows, choice } = this.#below;
    const label = this.#totalsLabel(line, this.#below);
    if (label !== undefined && !this.#hasEnded) {
      this.#takeTotals(line, label, rows);
      return undefined;
    }
    const read = this.#read;
    if (choice.leavesOut(line)) return undefined;
    if (read.hasTotalsRow) {
      this.#takeBelow(line, label, rows);
      return undefined;
    }
    read.rowCount += 1;
    const row = rows.read(line);
    read.asOf = rows.asOf;
    if (row !== undefined) read.totals.add(row);
    return row;
  }

  /** The file has ended. */
  end(): void {
    const { totalsRow, headerRow } = this.#profile;
    const report = this.#report;
    const { rowCount, hasTotalsRow } = this.#read;
    this.#endTotals();
    this.#endRows();
    if (this.#loanBelow !== undefined && this.#hasEnded) {
      const message = `below the row of totals, rows that seem to be loans are left out: ${this.#loansBelow}`;
      report.warn(this.#loanBelow.row, '', 'rows_left_out', message, textOf(this.#loanBelow));
    }
    if (this.#below === undefined) {
      const message =
        this.#preamble.length > 0
          ? `expected a header in row ${headerRow}; the file ends before it`
          : 'the file is empty';
      report.fault(headerRow, '', 'no_header', message, '');
    }
    if (totalsRow !== undefined && !hasTotalsRow && rowCount > 0) {
      const message = `expected a last row that begins with ${totalsRow}; the file has none, so it may be cut`;
      report.fault(0, '', 'no_totals_row', message, '');
    }
  }

  #takeHeader(line: TableRow, batch: readonly TableRow[]): void {
    const profile = this.#profile;
    const report = this.#report;
    const header = headerOf(line, profile);
    const nearby = [...this.#preamble, ...batch];
    const columns = findColumns({ header, row: line.row, nearby }, profile, report);
    this.isOver = columns === undefined;
    if (columns === undefined) return;
    const rows = new RowReader(columns, header, profile, report, this.#asOf);
    if (profile.columns.asOf === undefined) {
      const found = datesIn(this.#preamble, profile);
      this.#read.titleDate = found[0];
      tellOtherDate(found, this.#asOf, report);
    }
    this.#below = { rows, choice: new RowChoice(header, line.row, profile, this.#asOf, report) };
  }

  #takeTotals(line: TableRow, label: string, rows: RowReader): void {
    const { totals } = this.#read;
    const faultsOfRows = this.#endRows();
    const currency = totals.currencyIn(rows.totalsCurrency(line)) ?? totals.currencyIn(label);
    if (this.#isAfterTotals && (currency ?? codeIn(label)) !== undefined) {
      tellTotalsWithin(line.row, label, this.#report);
      return;
    }
    // Rows with a fault are not in the sums, which then differ for that alone.
    if (faultsOfRows === 0) {
      totals.compare(line, currency, (field, of) => rows.total(line, field, of), this.#report);
    }
    this.#read.hasTotalsRow = true;
    // Totals of other currencies may follow.
    this.#hasEnded = currency === undefined;
    if (this.#hasEnded) this.#endTotals();
  }

  /** Where loans and totals follow totals, those were a subtotal. Notes below totals have no currency. */
  #takeBelow(line: TableRow, totalsLabel: string | undefined, rows: RowReader): void {
    this.#isAfterTotals = true;
    const first = firstText(line);
    const label = totalsLabel ?? (isTotalsWord(first) ? first : undefined);
    if (label !== undefined) {
      if (this.#loanBelow !== undefined) tellTotalsWithin(line.row, label, this.#report);
      return;
    }
    const isLoan = this.#hasEnded
      ? rows.seemsLoan(line)
      : minorUnitDigits(rows.totalsCurrency(line)) !== undefined;
    if (!isLoan) return;
    if (this.#loanBelow === undefined && !this.#hasEnded) tellLoanBelow(line, this.#report);
    this.#loanBelow ??= line;
    this.#loansBelow += 1;
  }

  /** How a row of totals begins; undefined for other rows. */
  #totalsLabel(line: TableRow, { rows, choice }: BelowHeader): string | undefined {
    const { totalsRow } = this.#profile;
    if (totalsRow === undefined) return undefined;
    const label = firstText(line);
    const begins = label.toLowerCase().startsWith(totalsRow.toLowerCase());
    return begins && !choice.hasSubtotal(line, label) && !rows.isLoan(line, label)
      ? label
      : undefined;
  }

  /** Where totals of one currency were compared, those of each must be. */
  #endTotals(): void {
    const report = this.#report;
    const { totals } = this.#read;
    for (const currency of report.faultCount === 0 ? totals.currenciesWithoutTotals : []) {
      const message = `expected a row of totals of ${currency} too, which begins with ${this.#profile.totalsRow}; the file may be cut`;
      report.fault(0, '', 'no_totals_row', message, currency);
    }
  }

  /**
   * Says once what is wrong with the rows of loans together.
   *
   * @returns how many faults they had.
   */
  #endRows(): number {
    if (this.#faultsOfRows !== undefined || this.#below === undefined)
      return this.#faultsOfRows ?? 0;
    const report = this.#report;
    const { rows, choice } = this.#below;
    const { rowCount } = this.#read;
    rows.reportDates();
    choice.report(rowCount, report);
    if (rowCount === 0 && report.faultCount === 0) {
      const message = 'the file has a header and no loans below it';
      report.fault(this.#profile.headerRow, '', 'no_rows', message, '');
    }
    this.#faultsOfRows = report.faultCount;
    return report.faultCount;
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

function firstText({ cells }: TableRow): string {
  return cells.map(cellText).find((text) => text !== '') ?? '';
}

function textOf({ cells }: TableRow): string {
  return cells.map(cellText).join(' ');
}

/** A currency of rows that were left out, too. */
function codeIn(label: string): string | undefined {
  return label.match(/\b[A-Z]{3}\b/g)?.find((code) => minorUnitDigits(code) !== undefined);
}

function tellLoanBelow(line: TableRow, report: Report): void {
  const message =
    'this row stands after a row of totals, and would be left out: the file may be cut; ' +
    'take rows of subtotals out by leaveOut';
  report.fault(line.row, '', 'totals_within', message, textOf(line));
}

function tellTotalsWithin(row: number, label: string, report: Report): void {
  const message =
    'the rows of totals must follow each other at the end: rows before this one would be left out; ' +
    'take rows of subtotals out by leaveOut';
  report.fault(row, '', 'totals_within', message, label);
}
