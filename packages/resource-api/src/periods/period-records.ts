import type { BusinessDate } from '../ledger/business-date.ts';

/** One decision: from then on the books were closed through a date, or through none. */
export interface PeriodDecision {
  readonly number: bigint;
  /** Null: all is open. */
  readonly through: BusinessDate | null;
  readonly reason: string;
  readonly decidedAt: string;
}

/** Through which date the books are closed; every decision is kept. */
export interface PeriodRecords {
  /** Newest first. */
  list(): Promise<readonly PeriodDecision[]>;
  /**
   * Decides while nobody posts. `decide` gets the date through which the books are closed now, and
   * returns the new one, null for none; what it throws leaves all as it was.
   */
  decide(
    reason: string,
    decide: (closedThrough: BusinessDate | null) => BusinessDate | null,
  ): Promise<PeriodDecision>;
}
