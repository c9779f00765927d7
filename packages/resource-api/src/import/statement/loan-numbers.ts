import type { ImportProfile } from '../profile/profile.ts';
import type { Report } from './report.ts';
import type { StatementRow } from './statement-row.ts';

/** The numbers of a statement's deals: finds those that it has twice, and those that it does not have. */
export class LoanNumbers {
  readonly #rows = new Map<string, number>();
  /** Rows of numbers that have lower-case letters, by the number in upper case. */
  readonly #inUpperCase = new Map<string, number>();
  readonly #report: Report;
  readonly #column: string;

  constructor({ columns }: ImportProfile, report: Report) {
    this.#report = report;
    const { dealNumber, facilityNumber, loanNumber } = columns;
    [this.#column = 'loan number'] = dealNumber ?? facilityNumber ?? loanNumber ?? [];
  }

  get count(): number {
    return this.#rows.size;
  }

  has(dealNumber: string): boolean {
    return this.#rows.has(dealNumber);
  }

  add({ row, dealNumber }: Pick<StatementRow, 'row' | 'dealNumber'>): void {
    const first = this.#rows.get(dealNumber);
    if (first !== undefined) {
      this.#report.fault(row, this.#column, 'duplicate_loan', duplicate(first), dealNumber);
      return;
    }
    const upper = dealNumber.toUpperCase();
    const alike = this.#inUpperCase.get(upper) ?? this.#rows.get(upper);
    if (alike !== undefined) {
      const message = `this number differs from that of row ${alike} in upper and lower case alone`;
      this.#report.warn(row, this.#column, 'numbers_look_alike', message, dealNumber);
    }
    if (upper !== dealNumber) this.#inUpperCase.set(upper, row);
    this.#rows.set(dealNumber, row);
  }
}

/** @param first the row that has the loan already. */
export function duplicate(first: number): string {
  return (
    `this loan is also in row ${first}, and each loan has one row; if rows are drawings of a facility, or ` +
    'parts of lenders, declare columns for facilityNumber and loanNumber, or rowIs: lender'
  );
}
