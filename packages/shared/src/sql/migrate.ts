import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Database, type Sql, SqlError } from './database.ts';

/** The database and this build do not fit; the message says which side is ahead. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text: an applied migration must never change. */
  readonly checksum: string;
}

/** What a service's database must be: its migrations, and what its service role may do. */
export interface Schema {
  readonly migrations: readonly Migration[];
  /** Idempotent SQL; it does nothing where the service role does not exist. */
  readonly grants: string;
}

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

const FILE = /^(\d{4})-[a-z0-9-]+\.sql$/;
/** Key of the advisory lock that keeps replicas from migrating at once. */
const LOCK_KEY = 7_204_311;

const HISTORY = `
  CREATE TABLE IF NOT EXISTS schema_migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Reads `NNNN-name.sql` files. @throws {MigrationError} on a gap, a duplicate or another name. */
export function readMigrations(directory: URL): readonly Migration[] {
  const names = readdirSync(directory).sort();
  return names.map((name, index) => {
    const number = Number(FILE.exec(name)?.[1]);
    if (number !== index + 1) {
      throw new MigrationError(`migration ${name} is not number ${index + 1} as NNNN-name.sql`);
    }
    const sql = readFileSync(new URL(name, directory), 'utf8');
    return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** Reads `migrations/` and the file `grants.sql` beside it. @throws {MigrationError} */
export function readSchema(migrations: URL): Schema {
  const grants = readFileSync(new URL('../grants.sql', migrations), 'utf8');
  return { migrations: readMigrations(migrations), grants };
}

/**
 * Applies what is pending, each migration in one transaction; safe for several replicas. A role
 * that may not change the schema may call it where nothing is pending.
 *
 * @throws {MigrationError} when the database and this build do not fit, or the role may not migrate.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  grants = '',
): Promise<MigrationStatus> {
  const { pending } = await migrationStatus(database, migrations);
  if (pending.length === 0) return { applied: [], pending };
  try {
    const applied = await applyPending(database, migrations, grants);
    return { applied, pending: [] };
  } catch (error) {
    if (!(error instanceof SqlError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new MigrationError(
      `${lacking(pending)}, and this role may not change it (${error.message}): ${REMEDY}`,
      { cause: error },
    );
  }
}

/** Lets the service role do what the service does, and nothing else. The schema's owner calls it. */
export async function grantToService(database: Database, grants: string): Promise<void> {
  if (grants === '') return;
  await database.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await transaction.execute(grants);
  });
}

/** @throws {MigrationError} when a migration is pending; changes nothing. */
export async function requireCurrentSchema(
  sql: Sql,
  migrations: readonly Migration[],
): Promise<void> {
  const { pending } = await migrationStatus(sql, migrations);
  if (pending.length > 0) throw new MigrationError(`${lacking(pending)}: ${REMEDY}`);
}

const INSUFFICIENT_PRIVILEGE = '42501';
const REMEDY = 'run `cls-auth migrate` or `cls-api migrate` as the role that owns the schema';

function lacking([first, ...more]: readonly string[]): string {
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  return `the database lacks migration ${first}${rest}`;
}

async function applyPending(
  database: Database,
  migrations: readonly Migration[],
  grants: string,
): Promise<readonly string[]> {
  const applied: string[] = [];
  for (;;) {
    const next = await database.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
      // Plans that may not scan look dear, and compiling them takes seconds for each execution.
      await transaction.execute('SET LOCAL jit = off');
      await transaction.execute(HISTORY);
      const [pending, ...more] = pendingOf(migrations, await history(transaction));
      if (pending !== undefined) {
        await transaction.execute(pending.sql);
        await transaction.query(
          'INSERT INTO schema_migration (number, name, checksum) VALUES ($1, $2, $3)',
          [pending.number, pending.name, pending.checksum],
        );
        // With the last one, because a schema that lacks none is not looked at again.
        if (more.length === 0 && grants !== '') await transaction.execute(grants);
      }
      return pending;
    });
    if (next === undefined) return applied;
    applied.push(next.name);
  }
}

/** What a migration run would do. */
export async function migrationStatus(
  database: Sql,
  migrations: readonly Migration[],
): Promise<MigrationStatus> {
  const [exists] = await database.query<{ yes: boolean }>(
    `SELECT to_regclass('schema_migration') IS NOT NULL AS yes`,
  );
  const done = exists?.yes ? await history(database) : [];
  const pending = pendingOf(migrations, done);
  return { applied: done.map((row) => row.name), pending: pending.map(({ name }) => name) };
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

function history(sql: Pick<Database, 'query'>): Promise<Applied[]> {
  return sql.query<Applied>('SELECT number, name, checksum FROM schema_migration ORDER BY number');
}

function pendingOf(
  migrations: readonly Migration[],
  applied: readonly Applied[],
): readonly Migration[] {
  for (const row of applied) {
    const known = migrations[row.number - 1];
    if (known === undefined) {
      throw new MigrationError(`the database has ${row.name}, which this build does not know`);
    }
    if (known.checksum !== row.checksum) {
      throw new MigrationError(`${row.name} differs from the text that was applied`);
    }
  }
  return migrations.slice(applied.length);
}
