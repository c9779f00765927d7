import type { BusinessDate } from '../../ledger/business-date.ts';
import type { FacilityType } from '../../ledger/facility-type.ts';
import type { Amounts } from '../profile/derivation.ts';
import type { DateField } from '../profile/fields.ts';
import type { StatedParty } from './stated-deal.ts';

/** One row of a statement. Amounts in minor units of its currency. */
export interface StatementRow {
  readonly row: number;
  readonly dealNumber: string;
  /** Undefined where the profile names no facilities. */
  readonly facilityNumber: string | undefined;
  /** Undefined where the row states a facility of which nothing is drawn. */
  readonly loanNumber: string | undefined;
  readonly dealName: string | undefined;
  readonly facilityName: string | undefined;
  readonly country: string;
  readonly borrower: StatedParty | undefined;
  /** The borrower of a new deal whose rows name none. */
  readonly unnamedBorrower: StatedParty;
  readonly guarantor: StatedParty | undefined;
  readonly agent: StatedParty | undefined;
  readonly lender: StatedParty | undefined;
  /** As the profile's `shareUnit` has it, in units of 10⁻¹² or in minor units. */
  readonly share: bigint | undefined;
  readonly facilityType: FacilityType;
  /** Of deal, facility and contract. */
  readonly statuses: readonly [string, string, string];
  /** A fraction, such as `0.0475`. */
  readonly allInRate: string | undefined;
  readonly currency: string;
  /** Stated, or derived from what is stated. */
  readonly amounts: Readonly<Amounts>;
  readonly dates: Readonly<Partial<Record<DateField, BusinessDate>>>;
}
