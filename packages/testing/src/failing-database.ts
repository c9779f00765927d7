import {
  type Database,
  DatabaseUnavailable,
  type Sql,
  type SqlValue,
  type Transaction,
} from '@cls/shared/sql/database';
import type { Fault, FaultProxy } from './fault-proxy.ts';

/** What fails between any two messages: a proxy in front of a server, or a wrapped database. */
export type FailingStore = Omit<FaultProxy, 'port'>;

export interface FailingDatabase extends FailingStore {
  readonly database: Database;
}

/**
 * A database that fails between any two statements, and at COMMIT, without a connection that could
 * be cut: as a caller meets an embedded one. A late statement is done at `heal`; one in a
 * transaction never is, because its transaction ends with the connection.
 */
export function failingDatabase(database: Database): FailingDatabase {
  let seen = 0;
  let armed: { readonly skip: number; readonly fault: Fault; readonly once: boolean } | undefined;
  const waiting: (() => Promise<unknown>)[] = [];
  const meet = (): Fault | undefined => {
    seen += 1;
    if (armed === undefined || seen <= armed.skip) return undefined;
    const { fault, once } = armed;
    if (once) armed = undefined;
    return fault;
  };
  const failing = (sql: Sql, late: (work: () => Promise<unknown>) => void): Sql => {
    const send = async <T>(work: () => Promise<T>): Promise<T> => {
      const fault = meet();
      if (fault === undefined) return work();
      if (fault === 'late') late(work);
      else if (fault !== 'cut before') await work();
      throw unavailable();
    };
    return {
      query: <Row>(text: string, params?: readonly SqlValue[]) =>
        send(() => sql.query<Row>(text, params)),
      execute: (text) => send(() => sql.execute(text)),
    };
  };
  return {
    database: {
      ...failing(database, (work) => waiting.push(work)),
      async transaction(work, options) {
        let lost = false;
        const result = await database.transaction(async (transaction) => {
          const inTransaction = { ...failing(transaction, () => undefined), inTransaction: true };
          const done = await work(inTransaction as Transaction);
          const fault = meet();
          if (fault === 'cut before') throw unavailable();
          lost = fault !== undefined;
          return done;
        }, options);
        if (lost) throw unavailable();
        return result;
      },
      listen: (...args) => database.listen(...args),
      close: () => database.close(),
    },
    get seen() {
      return seen;
    },
    arm(skip, fault, how = 'from then on') {
      seen = 0;
      armed = { skip, fault, once: how === 'once' };
    },
    heal() {
      armed = undefined;
      for (const work of waiting.splice(0)) void work().catch(() => undefined);
    },
    close: async () => undefined,
  };
}

function unavailable(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database failed, as a test wants it');
}
