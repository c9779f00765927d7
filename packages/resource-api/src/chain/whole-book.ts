import type { StoreSummary } from '@cls/shared/transfer/store-file';

/** What was copied, and the last journal's hash, which stands for every journal before it. */
export interface CopiedBook extends StoreSummary {
  /** `hash:sequence`; absent for a book without journals. */
  readonly head?: string;
}

/** The book with its sequences, times, grants and hashes, for its move to another store. */
export interface WholeBook {
  export(write: (text: string) => Promise<void>): Promise<CopiedBook>;
  /** Into an empty store, all or nothing; the chain is checked. @throws {StoreFileRefused} */
  import(lines: AsyncIterable<string>): Promise<CopiedBook>;
}
