import type { BusinessDate } from '../ledger/business-date.ts';
import type { Journal } from '../ledger/journal.ts';
import type { LoanLine, LoanState } from './plan.ts';
import type { TapeProfile } from './profile.ts';
import type { TapeRow } from './tape-row.ts';

/** Where an import's loans are kept. */
export interface Book {
  /** The import of the same file that was applied before, if any. */
  findImport(profile: string, fileSha256: string): Promise<{ id: string } | undefined>;
  /** What the ledger has of each known loan at the close of `asOf`, by loan number. */
  loanStates(source: string, asOf: BusinessDate): Promise<ReadonlyMap<string, LoanState>>;
  /** One transaction: all of it, or nothing. */
  apply(change: BookChange): Promise<{ id: string }>;
}

export interface BookChange {
  readonly profile: TapeProfile;
  readonly fileSha256: string;
  readonly asOf: BusinessDate;
  readonly controlTotals: Readonly<Record<string, string>>;
  readonly loans: readonly PlannedLoan[];
}

export interface PlannedLoan {
  readonly row: TapeRow;
  readonly known: boolean;
  readonly journals: readonly Journal<LoanLine>[];
}
