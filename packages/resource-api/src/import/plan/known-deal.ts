import type { FacilityType } from '../../ledger/facility-type.ts';
import type { Legs } from '../statement/legs.ts';
import type { StatedParty } from '../statement/stated-deal.ts';

/** What the book has of a deal at the end of the statement's date. */
export interface KnownDeal {
  readonly id: string;
  /** The book has it at the date. Records stay when the import that booked them is taken back. */
  readonly present: boolean;
  readonly status: string;
  readonly name: string;
  readonly country: string;
  readonly borrower: KnownParty;
  readonly guarantor: KnownParty | null;
  readonly agent: KnownParty;
  readonly facilities: readonly KnownFacility[];
}

export interface KnownParty {
  readonly id: string;
  readonly name: string;
  readonly country: string | null;
  /** The names that statements of the source used for it. */
  readonly refs: readonly string[];
}

export interface KnownFacility {
  readonly id: string;
  /** Not where the import that booked it was taken back, and nothing else says anything of it at the date. */
  readonly present: boolean;
  /** As the source calls it; null where it is the only one of its deal. */
  readonly ref: string | null;
  readonly name: string;
  /** What was booked; a statement changes neither. */
  readonly type: FacilityType;
  readonly currency: string;
  readonly status: string;
  readonly maturityDate: string | null;
  readonly lenders: readonly string[];
  /** Those of the lenders that have no commitment. */
  readonly participants: readonly string[];
  readonly commitment: KnownCommitment;
  readonly drawings: readonly KnownDrawing[];
}

/** In minor units, by party. */
export type KnownCommitment = Readonly<Record<'original' | 'cancelled' | 'unfunded', Legs>>;

export interface KnownDrawing {
  readonly id: string;
  /** As of a facility. */
  readonly present: boolean;
  readonly number: string;
  readonly status: string;
  readonly maturityDate: string | null;
  readonly allInRate: string | null;
  readonly money: KnownPrincipal;
}

/**
 * In minor units, by party. Repaid is positive; transferred is bought less sold; billed is what was billed of
 * it and is not paid.
 */
export type KnownPrincipal = Readonly<
  Record<'disbursed' | 'repaid' | 'transferred' | 'due' | 'billed' | 'exchangeAdjustment', Legs>
>;

/** Parties with an external id of a source, as its statements find them. */
export interface KnownParties {
  /** As statements name them, in the form in which names are compared. */
  readonly byRef: ReadonlyMap<string, string>;
  /** The names of those that statements name, one for each reference. */
  readonly named: readonly StatedParty[];
  readonly renamed: readonly Omit<KnownParty, 'refs'>[];
}
