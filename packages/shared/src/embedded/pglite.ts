import { PGlite, type Transaction as PGliteTransaction, types } from '@electric-sql/pglite';
import {
  type Database,
  DatabaseUnavailable,
  isUnavailable,
  type Sql,
  SqlError,
  type SqlValue,
  type TransactionOptions,
  unavailable,
} from '../sql/database.ts';

const asText = (text: string): string => text;

/** The database port's value rules, where they differ from PGlite's defaults. */
const parsers = {
  [types.INT8]: (text: string) => BigInt(text),
  [types.DATE]: asText,
  [types.TIMESTAMP]: asText,
  [types.TIMESTAMPTZ]: asText,
};

/**
 * PGlite (PostgreSQL compiled to WebAssembly) on a directory, behind the `Database` port. It
 * blocks the thread it runs in, so production code reaches it through a worker
 * (embedded-database.ts), and it does not lock its directory (directory-lock.ts does).
 */
export async function pgliteDatabase(dataDir: string): Promise<Database> {
  const pglite = await PGlite.create({
    dataDir,
    parsers,
    startParams: [
      ...PGlite.defaultStartParams,
      ...['-c', 'shared_buffers=64MB', '-c', 'TimeZone=UTC', '-c', 'DateStyle=ISO'],
    ],
  });
  return {
    ...sqlOn(pglite),
    transaction: (work, options = {}) =>
      translated(
        pglite.transaction(async (transaction) => {
          const modes = transactionModes(options);
          if (modes !== '') await transaction.exec(`SET TRANSACTION ${modes}`);
          if (options.setup !== undefined) await transaction.exec(options.setup);
          return work({ ...sqlOn(transaction), inTransaction: true });
        }),
      ),
    // In process no notice is ever lost, so there is no gap to report.
    listen: (channel, onMessage) => pglite.listen(channel, onMessage),
    close: () => pglite.close(),
  };
}

function transactionModes({ isolation, readOnly }: TransactionOptions): string {
  const modes = isolation === undefined ? [] : [`ISOLATION LEVEL ${isolation.toUpperCase()}`];
  return [...modes, ...(readOnly === true ? ['READ ONLY'] : [])].join(' ');
}

function sqlOn(on: PGlite | PGliteTransaction): Sql {
  return {
    async query<Row>(sql: string, params: readonly SqlValue[] = []) {
      const result = await translated(on.query<Row>(sql, [...params], { parsers }));
      return result.rows;
    },
    async execute(sql) {
      await translated(on.exec(sql));
    },
  };
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateError(error);
  }
}

function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqlError) return error;
  const { code, constraint } = error as Error & { code?: string; constraint?: string };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) {
    return isUnavailable(code)
      ? unavailable(code, error)
      : new SqlError(error.message, code, constraint, { cause: error });
  }
  return error.message.startsWith('PGlite is clos')
    ? new DatabaseUnavailable('the embedded database has stopped', { cause: error })
    : error;
}
