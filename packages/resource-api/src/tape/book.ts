import type { BusinessDate } from '../ledger/business-date.ts';
import type { Journal } from '../ledger/journal.ts';
import type { LoanLine, LoanState } from './plan.ts';
import type { TapeProfile } from './profile.ts';
import type { TapeRow } from './tape-row.ts';

/** Where an import's loans are kept. */
export interface Book {
  read(file: StatementFile): Promise<BookState>;
  /**
   * Plans against the book as it stands while nobody else posts, and writes the plan: one
   * transaction, all of it or nothing. Undefined when `plan` finds that nothing may be written.
   */
  apply(
    file: StatementFile,
    plan: (state: BookState) => readonly PlannedLoan[] | undefined,
  ): Promise<string | undefined>;
}

export interface StatementFile {
  readonly profile: TapeProfile;
  readonly fileSha256: string;
  readonly asOf: BusinessDate;
  readonly controlTotals: Readonly<Record<string, string>>;
}

export interface BookState {
  /** Id of the import of this very file, if it was applied before. */
  readonly appliedBefore: string | undefined;
  /** Date of the last statement of the same source. */
  readonly lastStatement: BusinessDate | undefined;
  /** What the ledger has of each known loan at the close of the file's date, by loan number. */
  readonly loans: ReadonlyMap<string, LoanState>;
}

export interface PlannedLoan {
  readonly row: TapeRow;
  readonly known: boolean;
  readonly journals: readonly Journal<LoanLine>[];
}
