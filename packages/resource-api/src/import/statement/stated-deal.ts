import type { BusinessDate } from '../../ledger/business-date.ts';
import type { FacilityType } from '../../ledger/facility-type.ts';
import type { Legs } from './legs.ts';
import type { StatementRow } from './statement-row.ts';

/** A party as a statement names it: by a reference of its source, or by its name and country. */
export interface StatedParty {
  readonly ref: string;
  readonly name: string;
  /** Two characters; empty where the statement has none. */
  readonly countryCode: string;
}

export interface Holder extends StatedParty {
  readonly kind: 'assignment' | 'participation';
}

export interface Cumulative {
  readonly disbursed: Legs;
  readonly repaid: Legs;
  /** Bought less sold; not stated where holders change without the statement saying so. */
  readonly transferred: Legs | undefined;
}

/** One drawing at the date of the statement. Amounts in minor units of the facility's currency. */
export interface StatedDrawing {
  readonly row: number;
  readonly number: string;
  readonly status: string;
  readonly effectiveDate: BusinessDate | undefined;
  readonly maturityDate: BusinessDate | undefined;
  readonly allInRate: string | undefined;
  readonly due: Legs;
  /** Undefined where the statement has balances alone. */
  readonly cumulative: Cumulative | undefined;
  readonly exchangeAdjustment: bigint | undefined;
}

/** What a statement says of a commitment; what it does not say, follows from the drawings. */
export interface StatedCommitment {
  readonly original: Legs | undefined;
  readonly cancelled: Legs | undefined;
  /** Original less cancelled. */
  readonly current: Legs | undefined;
  readonly undrawn: Legs | undefined;
  /** Parts of holders follow from shares or are of one holder, so of what is undrawn only the whole is stated. */
  readonly isApportioned: boolean;
}

export interface StatedFacility {
  readonly row: number;
  /** In the deal; undefined where each deal of the sender is one facility. */
  readonly number: string | undefined;
  readonly name: string | undefined;
  readonly type: FacilityType;
  readonly currency: string;
  readonly status: string;
  readonly effectiveDate: BusinessDate | undefined;
  readonly maturityDate: BusinessDate | undefined;
  readonly commitment: StatedCommitment;
  readonly drawings: readonly StatedDrawing[];
  /** The first is the lender of record. */
  readonly holders: readonly Holder[];
}

/** What its first row says of a deal counts. */
type OfFirstRow = 'row' | 'country' | 'borrower' | 'unnamedBorrower' | 'guarantor' | 'agent';

export interface StatedDeal extends Pick<StatementRow, OfFirstRow> {
  readonly number: string;
  readonly name: string | undefined;
  readonly status: string;
  readonly closingDate: BusinessDate | undefined;
  readonly facilities: readonly StatedFacility[];
}

/** What the source calls a facility: unique among its deals and facilities. */
export function facilityRef(dealNumber: string, { number }: StatedFacility): string {
  return `${dealNumber}/${number}`;
}
