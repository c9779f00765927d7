import { parseConfig } from '@cls/resource-api/config';
import { MIGRATIONS } from '@cls/resource-api/database/migrations';
import type { JournalStore } from '@cls/resource-api/journal-file/journal-store';
import { sqlJournals } from '@cls/resource-api/journal-file/sql/sql-journals';
import { createLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { readSchema } from '@cls/shared/sql/migrate';
import type { GeneratedBooks } from '../generated-books.ts';
import { sqlGeneratedBooks } from '../sql-generated-books.ts';

/** The ledger that a generated book goes to. */
export interface Ledger {
  readonly generatedBooks: GeneratedBooks;
  readonly journals: JournalStore;
}

/**
 * Opens resource-api's store, works, and closes it again; through a running service where one
 * holds the embedded store.
 *
 * @param mayCreate whether a store that is not there is made.
 */
export type InLedger = <T>(work: (ledger: Ledger) => Promise<T>, mayCreate: boolean) => Promise<T>;

export const inLedger: InLedger = async (work, mayCreate) => {
  const config = parseConfig(process.env);
  const log = createLog('cls-books', 'silent');
  const schema = readSchema(MIGRATIONS);
  const database = await openDatabaseAsOperator(
    config.database,
    'cls-books',
    log,
    schema,
    mayCreate,
  );
  try {
    return await work({
      generatedBooks: sqlGeneratedBooks(database),
      journals: sqlJournals(database),
    });
  } finally {
    await database.close();
  }
};
