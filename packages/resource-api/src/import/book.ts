import type { BookRecord } from '../journal-file/record.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { ImportActor } from './import-report.ts';
import type { KnownDeal, KnownParties } from './plan/known-deal.ts';
import type { ImportProfile } from './profile/profile.ts';

export interface Book {
  check<T>(file: StatementFile, work: (reader: BookReader) => Promise<T>): Promise<T>;
  /**
   * The same in one transaction and under the lock of the journal, so that nobody else posts
   * meanwhile. What was written stays only where the work says so.
   */
  apply<T>(
    file: StatementFile,
    work: (reader: BookReader, write: WriteImport) => Promise<{ keep: boolean; result: T }>,
  ): Promise<T>;
  imports(): Promise<readonly ImportRecord[]>;
  /**
   * Whether a customer may post statements of a source over HTTP: it posted the first of them, or the
   * operator named it, or the book has nothing of the source.
   */
  mayPost(source: string, customer: string): Promise<boolean>;
  /** From now on this customer alone may post statements of the source over HTTP; undefined: nobody. */
  assignSource(source: string, customer: string | undefined): Promise<void>;
  /**
   * Reverts an import by reversing its journals, each on its own date, in one transaction. Without
   * `apply` the transaction is rolled back.
   */
  revert(importId: string, apply: boolean): Promise<RevertResult>;
}

/** @returns the id of the import. */
export type WriteImport = (records: AsyncIterable<BookRecord>) => Promise<string>;

export interface BookReader {
  history(): Promise<ImportHistory>;
  /** The state of deals at the end of the file's date, by their numbers in its source. */
  deals(numbers: readonly string[]): Promise<ReadonlyMap<string, KnownDeal>>;
  /** Of these references of the file's source, those that a deal or facility of the book has. */
  taken(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of these numbers, those of deals that the book has from elsewhere: from which source, or ''. */
  elsewhere(numbers: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Numbers of all deals of the source which the book has at the file's date, in ranges by number. */
  numbers(): AsyncIterable<readonly string[]>;
  /** Ids of the source's parties: by what its statements call them, and of those that were renamed. */
  parties(): Promise<KnownParties>;
  volumes(): Promise<ReadonlyMap<string, bigint>>;
}

export interface ImportRecord {
  readonly id: string;
  readonly profile: string;
  readonly source: string;
  readonly customer: string | null;
  readonly asOf: BusinessDate;
  readonly rows: number;
  readonly appliedAt: string;
  readonly revertedAt: string | null;
  readonly journals: number;
  readonly accepted: Readonly<Record<string, string>> | null;
  readonly withoutTotals: string | null;
  /** The subject of a token, or the user of the tool; null where an earlier build imported it. */
  readonly postedBy: string | null;
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
  readonly rows: number;
  readonly controlTotals: Readonly<Record<string, string>>;
  /** Why what a check found is right, by check. */
  readonly accepted: Readonly<Record<string, string>>;
  readonly withoutTotals: string | undefined;
  readonly actor: ImportActor | undefined;
}

export interface ImportHistory {
  /** Another customer posts statements of the source, or the operator alone imports them. */
  readonly isOfAnother: boolean;
  readonly appliedBefore: string | undefined;
  readonly otherDate: BusinessDate | undefined;
  readonly last: { readonly id: string; readonly asOf: BusinessDate } | undefined;
  readonly closedThrough: BusinessDate | undefined;
  readonly revertedBefore: number;
}
