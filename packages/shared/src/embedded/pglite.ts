import { existsSync } from 'node:fs';
import { PGlite, type Transaction as PGliteTransaction, types } from '@electric-sql/pglite';
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs';
import { quotedLiteral } from '../sql/array-literal.ts';
import {
  type Database,
  DatabaseUnavailable,
  ONE_PLAN,
  type Sql,
  SqlError,
  type SqlValue,
  type TransactionOptions,
  unavailable,
} from '../sql/database.ts';
import { isUnavailable } from '../sql/sqlstate.ts';

/** PGlite's WebAssembly module, compiled. */
export type Program = object;

const asText = (text: string): string => text;

/** The database port's value rules, where they differ from PGlite's defaults. */
const parsers = {
  [types.INT8]: (text: string) => BigInt(text),
  [types.DATE]: asText,
  [types.TIMESTAMP]: asText,
  [types.TIMESTAMPTZ]: asText,
};

/**
 * PGlite (PostgreSQL compiled to WebAssembly) on a directory, new or with a cluster, behind the `Database` port. It
 * blocks the thread it runs in, so production code reaches it through a worker
 * (embedded-database.ts), and it does not lock its directory (directory-lock.ts does).
 *
 * @param program read and compiled here when undefined.
 */
export async function pgliteDatabase(dataDir: string, program?: Program): Promise<Database> {
  const pglite = await PGlite.create({
    dataDir,
    parsers,
    ...(program === undefined ? {} : { pgliteWasmModule: program }),
    // initdb takes three times as long.
    ...(existsSync(dataDir) ? {} : { loadDataDir: await emptyCluster() }),
    startParams: [
      ...PGlite.defaultStartParams,
      ...['-c', 'shared_buffers=64MB', '-c', 'TimeZone=UTC', '-c', 'DateStyle=ISO'],
    ],
  });
  const prepared = preparedStatements();
  return {
    ...sqlOn(pglite),
    transaction: (work, options = {}) =>
      translated(
        pglite.transaction(async (transaction) => {
          const modes = transactionModes(options);
          const plans = options.prepared ? ONE_PLAN : '';
          const settings = `${modes && `SET TRANSACTION ${modes};`}${plans}${options.setup ?? ''}`;
          if (settings !== '') await transaction.exec(settings);
          const sql = options.prepared ? prepared(transaction) : sqlOn(transaction);
          return work({ ...sql, inTransaction: true });
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

/** A plan of a page takes some megabytes. */
const PREPARED_MAX = 50;

/** Statements that are planned once: the embedded database has one session. */
function preparedStatements(): (on: PGliteTransaction) => Sql {
  const names = new Map<string, string>();
  let made = 0;
  const nameOf = async (on: PGliteTransaction, text: string): Promise<string> => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= PREPARED_MAX) {
      await on.exec('DEALLOCATE ALL');
      names.clear();
    }
    made += 1;
    const name = `cls_${made}`;
    await on.exec(`PREPARE ${name} AS ${text}`);
    names.set(text, name);
    return name;
  };
  return (on) => {
    let before: Promise<unknown> = Promise.resolve();
    const run = async <Row>(text: string, params: readonly SqlValue[]): Promise<Row[]> => {
      const name = await translated(nameOf(on, text));
      // EXECUTE takes no parameters.
      const list = params.length === 0 ? '' : `(${params.map(quotedLiteral).join(', ')})`;
      const result = await translated(on.query<Row>(`EXECUTE ${name}${list}`, [], { parsers }));
      return result.rows;
    };
    return {
      ...sqlOn(on),
      query<Row>(text: string, params: readonly SqlValue[] = []) {
        const mine = before.then(() => run<Row>(text, params));
        before = mine.catch(() => undefined);
        return mine;
      },
    };
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
