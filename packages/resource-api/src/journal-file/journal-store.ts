import type { BusinessDate } from '../ledger/business-date.ts';
import type { BookRecord } from './record.ts';

/** What the book, or the file so far, has under an id. */
export type Described =
  | { readonly kind: 'party' | 'position' | 'journal' }
  | { readonly kind: 'deal' }
  | {
      readonly kind: 'facility';
      readonly deal: string;
      readonly currency: string;
      readonly lenders: Set<string>;
    }
  | { readonly kind: 'contract'; readonly facility: string };

export interface JournalStore {
  describe(ids: readonly string[]): Promise<ReadonlyMap<string, Described>>;
  /** Those of the keys under which a journal was posted. */
  postedKeys(idempotencyKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Undefined when no period is closed. */
  closedThrough(): Promise<BusinessDate | undefined>;
  /** One transaction, all or nothing; without `apply` it is rolled back at its end. */
  write(records: AsyncIterable<BookRecord>, apply: boolean): Promise<void>;
  /** Everything, in an order in which it can be written again; one snapshot. */
  readAll(receive: (records: readonly BookRecord[]) => Promise<void>): Promise<void>;
}
