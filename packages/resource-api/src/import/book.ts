import type { BusinessDate } from '../ledger/business-date.ts';
import type { Journal } from '../ledger/journal.ts';
import type { KnownLoan, LoanLine, TermsPlan } from './plan.ts';
import type { ImportProfile } from './profile.ts';
import type { StatementRow } from './statement-row.ts';

/** Where an import's loans are kept. */
export interface Book {
  read(file: StatementFile): Promise<BookState>;
  /**
   * Calls `plan` with the state of the book while nobody else posts, and writes the plan in one
   * transaction. Undefined when `plan` returns nothing to write.
   */
  apply(
    file: StatementFile,
    plan: (state: BookState) => readonly PlannedLoan[] | undefined,
  ): Promise<string | undefined>;
  imports(): Promise<readonly ImportRecord[]>;
  /**
   * Reverts an import by reversing its journals, each on its own date, in one transaction. Without
   * `apply` the transaction is rolled back.
   */
  revert(importId: string, apply: boolean): Promise<RevertResult>;
}

export interface ImportRecord {
  readonly id: string;
  readonly profile: string;
  readonly asOf: BusinessDate;
  readonly rows: number;
  readonly appliedAt: string;
  readonly revertedAt: string | null;
  readonly journals: number;
}

export type RevertResult =
  | { readonly outcome: 'reverted' | 'valid'; readonly journals: number }
  | { readonly outcome: 'unknown' | 'reverted_before' }
  /** A later statement of the same loans builds on it, or its period is closed. */
  | { readonly outcome: 'stands_beneath'; readonly importId: string }
  | { readonly outcome: 'period_closed'; readonly through: BusinessDate };

export interface StatementFile {
  readonly profile: ImportProfile;
  readonly fileSha256: string;
  readonly asOf: BusinessDate;
  readonly controlTotals: Readonly<Record<string, string>>;
  /** What all its amounts come to, signs aside. */
  readonly grossMinor: bigint;
}

export interface BookState {
  /** Id of the import of the same file, if it was applied before. */
  readonly appliedBefore: string | undefined;
  /** Date of the last statement of the same source. */
  readonly lastStatement: BusinessDate | undefined;
  /** The state of each known loan at the end of the file's date, by loan number. */
  readonly loans: ReadonlyMap<string, KnownLoan>;
  /** The date through which the books are closed. */
  readonly closedThrough: BusinessDate | undefined;
  /** What all postings in the file's currency come to, signs aside; 0 for a file that is small beside any book. */
  readonly volumeMinor: bigint;
  /** How often this file was imported and reverted. */
  readonly revertedBefore: number;
}

export interface PlannedLoan {
  readonly row: StatementRow;
  /** Its records are there already. */
  readonly booked: boolean;
  /** The book does not have the loan at the statement's date. */
  readonly isNew: boolean;
  readonly journals: readonly (Journal<LoanLine> & Partial<Pick<TermsPlan, 'terms' | 'details'>>)[];
}
