import type { Database, Transaction, TransactionOptions } from './database.ts';

/** Never leaves this file: the port rolls back only when something is thrown. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('the transaction is rolled back');
    this.result = result;
  }
}

/** What the work of `tentativeTransaction` returns so that nothing of it stays. */
export function rollback<T>(result: T): RolledBack<T> {
  return new RolledBack(result);
}

/** A transaction whose work may return `rollback(result)`, as a dry run does, instead of a result. */
export async function tentativeTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T | RolledBack<T>>,
  options?: TransactionOptions,
): Promise<T> {
  try {
    return await database.transaction(async (transaction) => {
      const result = await work(transaction);
      if (result instanceof RolledBack) throw result;
      return result;
    }, options);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw error;
  }
}
