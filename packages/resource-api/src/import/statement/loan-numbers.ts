import type { Report } from './report.ts';
import type { StatementRow } from './statement-row.ts';

/** The numbers of a statement's deals: finds those that it has twice, and those that it does not have. */
export class LoanNumbers {
  readonly #rows = new Map<string, number>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  has(dealNumber: string): boolean {
    return this.#rows.has(dealNumber);
  }

  add({ row, dealNumber }: Pick<StatementRow, 'row' | 'dealNumber'>): void {
    const first = this.#rows.get(dealNumber);
    if (first === undefined) this.#rows.set(dealNumber, row);
    else {
      const message = `also in row ${first}`;
      this.#report.fault(row, 'loan number', 'duplicate_loan', message, dealNumber);
    }
  }
}
