import type { BusinessDate } from '../ledger/business-date.ts';
import type { AmountField, DateField } from './profile.ts';

/** One loan of the statement. Amounts in minor units of the profile's currency. */
export interface StatementRow {
  /** Line in the file, the header being 1. */
  readonly row: number;
  readonly loanNumber: string;
  /** Undefined where the cell is empty: the statement does not say. */
  readonly name: string | undefined;
  readonly countryCode: string;
  /** The country's name: the borrower of a new loan whose row names none. */
  readonly country: string;
  readonly borrower: string | undefined;
  readonly guarantor: { readonly name: string; readonly countryCode: string } | undefined;
  readonly facilityType: string;
  /** Of deal, facility and contract. */
  readonly statuses: readonly [string, string, string];
  /** A fraction, such as `0.0475`. */
  readonly allInRate: string | undefined;
  readonly amounts: Readonly<Record<AmountField, bigint>>;
  readonly dates: Readonly<Partial<Record<DateField, BusinessDate>>>;
}

export interface StatementFault {
  readonly row: number;
  readonly column: string;
  readonly code: string;
  readonly message: string;
  readonly value: string;
}
