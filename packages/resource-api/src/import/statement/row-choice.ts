import type { BusinessDate } from '../../ledger/business-date.ts';
import { readDate } from '../cells/dates.ts';
import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { duplicateColumn, placesOf } from './columns.ts';
import type { Report } from './report.ts';

/** Which rows below the header the profile leaves out: by a value, or because of another date. */
export class RowChoice {
  readonly #profile: ImportProfile;
  readonly #asOf: BusinessDate | undefined;
  readonly #dateAt: number;
  readonly #rules: readonly { readonly index: number; readonly values: ReadonlySet<string> }[];
  readonly #otherDates = new Map<BusinessDate, number>();
  #byValue = 0;

  constructor(
    header: readonly string[],
    row: number,
    profile: ImportProfile,
    asOf: BusinessDate | undefined,
    report: Report,
  ) {
    this.#profile = profile;
    this.#asOf = asOf;
    const chooses = profile.asOfRows === 'only' && profile.columns.asOf !== undefined;
    this.#dateAt = chooses ? (placesOf(header, profile.columns.asOf ?? [])[0] ?? -1) : -1;
    this.#rules = (profile.leaveOut ?? []).flatMap(({ column, values }) => {
      const [index, second] = placesOf(header, [column]);
      if (second !== undefined) {
        const message = duplicateColumn(index ?? 0, second);
        report.fault(row, column, 'duplicate_column', message, header[second] ?? '');
      }
      if (index !== undefined)
        return [{ index, values: new Set(values.map((text) => text.trim())) }];
      const message = 'the file has no column of this name, by which the profile leaves rows out';
      report.fault(row, column, 'missing_column', message, '');
      return [];
    });
  }

  /** Whether a row that begins as the totals do is left out by that very text. */
  hasSubtotal({ cells }: TableRow, label: string): boolean {
    if (label.toLowerCase() === this.#profile.totalsRow?.toLowerCase()) return false;
    return this.#rules.some(
      ({ index, values }) => values.has(label) && cellText(cells[index] ?? '') === label,
    );
  }

  leavesOut({ cells }: TableRow): boolean {
    for (const { index, values } of this.#rules) {
      if (!values.has(cellText(cells[index] ?? ''))) continue;
      this.#byValue += 1;
      return true;
    }
    if (this.#dateAt < 0) return false;
    const { dateFormats, twoDigitYearsFrom } = this.#profile;
    const date = readDate(cells[this.#dateAt] ?? '', dateFormats, twoDigitYearsFrom);
    if (date === undefined || date === this.#asOf) return false;
    this.#otherDates.set(date, (this.#otherDates.get(date) ?? 0) + 1);
    return true;
  }

  report(rowCount: number, report: Report): void {
    if (this.#byValue > 0) {
      const message = `rows left out: ${this.#byValue}, by the values that the profile declares in leaveOut`;
      report.warn(0, '', 'rows_left_out', message, '');
    }
    if (this.#otherDates.size === 0) return;
    const dates = datesTold(this.#otherDates);
    if (this.#asOf === undefined) {
      const message =
        this.#otherDates.size === 1
          ? `asOfRows is only, which takes the rows of a date: give it with --as-of; the file has ${dates}`
          : `the file has several dates: give one with --as-of; it has ${dates}`;
      report.fault(0, '', 'no_date', message, '');
    } else if (rowCount === 0) {
      const message = `no row has the date ${this.#asOf}; the file has ${dates}`;
      report.fault(0, '', 'no_rows', message, '');
    } else {
      const message = `rows of other dates are left out, as asOfRows declares: ${dates}`;
      report.warn(0, '', 'rows_left_out', message, '');
    }
  }
}

const DATES_SHOWN = 12;

/** `2025-01-31 (3 rows), 2025-02-28 (1 row)`: the last ones where there are many. */
export function datesTold(dates: ReadonlyMap<BusinessDate, number>): string {
  const sorted = [...dates].sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = sorted
    .slice(-DATES_SHOWN)
    .map(([date, rows]) => `${date} (${rows === 1 ? '1 row' : `${rows} rows`})`);
  const more = sorted.length - shown.length;
  return `${more > 0 ? `${more} earlier ones, ` : ''}${shown.join(', ')}`;
}
