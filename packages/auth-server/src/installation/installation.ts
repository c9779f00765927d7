import type { StoreSummary } from '@cls/shared/transfer/store-file';

/** Everything that an installation is, without what is signed in. */
export interface Installation {
  /** The text holds every secret: only a sealed file may keep it. */
  export(write: (text: string) => Promise<void>): Promise<StoreSummary>;
  /** Into an empty store, all or nothing. @throws {StoreFileRefused} */
  import(lines: AsyncIterable<string>): Promise<StoreSummary>;
}
