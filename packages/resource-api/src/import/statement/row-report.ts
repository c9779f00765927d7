import type { Field } from '../profile/fields.ts';
import type { Columns } from './columns.ts';
import type { Report } from './report.ts';

/** Tells what is wrong with cells of a row, by the headers of their columns. */
export class RowReport {
  /** The row that is read. */
  row = 0;
  readonly #columns: Columns;
  readonly #report: Report;

  constructor(columns: Columns, report: Report) {
    this.#columns = columns;
    this.#report = report;
  }

  get faultCount(): number {
    return this.#report.faultCount;
  }

  headerOf(field: Field): string {
    return this.#columns.get(field)?.header ?? field;
  }

  fault(field: Field, code: string, message: string, value: string): void {
    this.#report.fault(this.row, this.headerOf(field), code, message, value);
  }

  warn(field: Field, code: string, message: string, value: string): void {
    this.#report.warn(this.row, this.headerOf(field), code, message, value);
  }
}
