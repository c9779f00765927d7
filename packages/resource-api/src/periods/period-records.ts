import type { BusinessDate } from '../ledger/business-date.ts';

/** One decision: since then the books are closed through a date, or not closed at all. */
export interface PeriodDecision {
  readonly number: bigint;
  /** Null: all is open. */
  readonly through: BusinessDate | null;
  readonly reason: string;
  readonly decidedAt: string;
}

/** The date through which the books are closed. Every decision is kept. */
export interface PeriodRecords {
  /** Newest first. */
  list(): Promise<readonly PeriodDecision[]>;
  /**
   * Decides while nobody posts. `decide` gets the present date, and returns the new one or null.
   * When it throws, nothing is changed.
   */
  decide(
    reason: string,
    decide: (closedThrough: BusinessDate | null) => BusinessDate | null,
  ): Promise<PeriodDecision>;
}
