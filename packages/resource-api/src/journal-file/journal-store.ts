import type { BusinessDate } from '../ledger/business-date.ts';
import type { Holder } from './holdings.ts';
import type { BookRecord, FxRateRecord, IdentifiedRecord } from './record.ts';
import type { UniqueName } from './unique-names.ts';

export interface DescribedFacility {
  readonly kind: 'facility';
  readonly deal: string;
  readonly currency: string;
  readonly lenders: Set<string>;
  readonly type: string;
  readonly pikUsesCommitment: boolean;
  readonly sublimitOf?: string | undefined;
  readonly effectiveDate?: string | undefined;
}

/** What the book, or the file so far, has under an id. */
export type Described =
  | DescribedFacility
  | { readonly kind: 'party' | 'position' }
  | { readonly kind: 'deal'; readonly closingDate?: string | undefined }
  | {
      readonly kind: 'contract';
      readonly deal: string;
      readonly facility: string;
      readonly effectiveDate?: string | undefined;
    };
export type Describe = (id: string) => Described | undefined;

export function facilityOf(
  described: Describe,
  id: string | undefined,
): DescribedFacility | undefined {
  const found = id === undefined ? undefined : described(id);
  return found?.kind === 'facility' ? found : undefined;
}

/** What the book has, as a file is checked against it. */
export interface JournalReader {
  /** Another one after each change of what the book has. */
  state(): Promise<string>;
  describe(ids: readonly string[]): Promise<ReadonlyMap<string, Described>>;
  /** What the book has under the ids, as an export gives it. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, IdentifiedRecord>>;
  /** Whether the book has a record of each name, in their order. */
  taken(names: readonly UniqueName[]): Promise<readonly boolean[]>;
  posted(question: PostedQuestion): Promise<Posted>;
  /** Of facilities with a commitment, what is unfunded from each date on, in their order. */
  undrawn(facilities: readonly string[]): Promise<ReadonlyMap<string, readonly DatedAmount[]>>;
  /** Of contracts, what is outstanding from each date on, in their order. */
  outstanding(contracts: readonly string[]): Promise<ReadonlyMap<string, readonly DatedAmount[]>>;
  /** What is on accounts of lenders from each date on, in the order of the holders. */
  holdings(holders: readonly Holder[]): Promise<readonly (readonly DatedAmount[])[]>;
  /** What all postings come to by currency, signs aside, in minor units. */
  volumes(): Promise<ReadonlyMap<string, bigint>>;
  /** How often the book has each rate, in their order. */
  countFxRates(rates: readonly FxRateRecord[]): Promise<readonly number[]>;
  /** Undefined when no period is closed. */
  closedThrough(): Promise<BusinessDate | undefined>;
}

/** A book that nobody else writes to. */
export interface LockedBook extends JournalReader {
  write(records: AsyncIterable<BookRecord>): Promise<void>;
}

export interface JournalStore extends JournalReader {
  /** One transaction, all or nothing; without `apply` it is rolled back at its end. */
  locked<T>(work: (book: LockedBook) => Promise<T>, apply: boolean): Promise<T>;
  /**
   * Everything that became known with a sequence or later, in an order in which it can be written
   * again; one snapshot.
   */
  readAll(
    receive: (records: readonly BookRecord[]) => Promise<void>,
    fromSeq: bigint,
  ): Promise<void>;
}

export interface DatedAmount {
  readonly date: string;
  readonly amountMinor: bigint;
}

export interface PostedQuestion {
  readonly idempotencyKeys: readonly string[];
  /** Ids of journals that are to be reversed. */
  readonly reversed: readonly string[];
}

export interface Posted {
  /** The journal that was posted under each key. */
  readonly byKey: ReadonlyMap<string, string>;
  /** Journals that are there, and whether they were reversed before. */
  readonly reversed: ReadonlyMap<string, boolean>;
}
