import type { BusinessDate } from '../ledger/business-date.ts';
import type { FileFault, StatementSource } from './file/table.ts';
import type { ChangesByKind, LargestChange } from './plan/change-summary.ts';
import type { LoanChange } from './plan/changes.ts';
import type { OutstandingTotal } from './plan/currency-totals.ts';
import type { ImportProfile, SanityCheck } from './profile/profile.ts';
import type { SanityFinding } from './sanity.ts';
import type { ComparedTotal, ExpectedTotals } from './statement/control-totals.ts';
import type { FindingKind } from './statement/report.ts';

export interface ImportActor {
  /** The subject of a token, or the user of the tool. */
  readonly name: string;
  /** Of a token. Sources of other customers are closed to it. */
  readonly customer?: string;
}

export interface ImportRequest {
  readonly source: StatementSource;
  readonly shares?: StatementSource | undefined;
  readonly profile: ImportProfile;
  /** The date of a file that has no column for it. */
  readonly asOf?: BusinessDate | undefined;
  readonly apply: boolean;
  readonly actor?: ImportActor | undefined;
  readonly expected: ExpectedTotals;
  /**
   * Why the sender gave none. Without this nothing is written unless the number of rows and a sum were
   * given, or the file has a row of totals.
   */
  readonly withoutTotals?: string | undefined;
  readonly accept?: Readonly<Partial<Record<SanityCheck, string>>>;
  readonly noBook?: string;
  readonly today?: BusinessDate;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  readonly onFault?: ((fault: FileFault) => void) | undefined;
  readonly onChange?: ((change: LoanChange) => void) | undefined;
}

export interface ImportProgress {
  readonly step: 'reading' | 'planning';
  readonly rows: number;
  readonly of: number | undefined;
  /** What is done of the step, from 0 to 1. */
  readonly done: number;
}

export interface ImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly importId?: string | undefined;
  readonly file: string;
  readonly profile: string;
  readonly asOf?: BusinessDate;
  readonly fileSha256: string;
  readonly rows: number;
  readonly newLoans: number;
  readonly journals: number;
  readonly postings: number;
  /** Sums of every amount column, as decimal strings; `due:EUR` in a file of several currencies. */
  readonly controlTotals: Readonly<Record<string, string>>;
  readonly comparedTotals: readonly ComparedTotal[];
  readonly withoutTotals?: string | undefined;
  /** The file has a row of totals, which was compared with the sums of its rows. */
  readonly hasTotalsRow: boolean;
  /** The first of them; `faultCount` and `warningCount` count all. */
  readonly faults: readonly FileFault[];
  readonly faultCount: number;
  readonly faultKinds: readonly FindingKind[];
  readonly warnings: readonly FileFault[];
  readonly warningCount: number;
  readonly warningKinds: readonly FindingKind[];
  readonly sanity: readonly SanityFinding[];
  readonly outstanding: readonly OutstandingTotal[];
  /** The differences from the book, by kind, with the rule for each kind. */
  readonly changes: readonly ChangesByKind[];
  readonly largest: readonly LargestChange[];
}
