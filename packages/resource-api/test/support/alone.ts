import type { Database } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';

/** Work that has the database for itself: nothing of it stays. Its transactions are parts of one. */
export function alone(database: Database, work: (alone: Database) => Promise<void>): Promise<void> {
  return tentativeTransaction(database, async (transaction) => {
    await work({ ...database, ...transaction, transaction: (inner) => inner(transaction) });
    return rollback(undefined);
  });
}
