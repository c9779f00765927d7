import type { Report } from './report.ts';
import type { StatementRow } from './statement-row.ts';

/** Finds loans that a statement has twice. */
export class LoanNumbers {
  readonly #rows = new Map<string, number>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  add({ row, dealNumber }: StatementRow): void {
    const first = this.#rows.get(dealNumber);
    if (first === undefined) this.#rows.set(dealNumber, row);
    else {
      const message = `also in row ${first}`;
      this.#report.fault(row, 'loan number', 'duplicate_loan', message, dealNumber);
    }
  }
}
