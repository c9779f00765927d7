import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Database,
  Deadlocked,
  isPrivilegeMissing,
  type Sql,
  SqlError,
  type Transaction,
} from './database.ts';

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
  /**
   * It came with the newest release, whose schema the build of the release before survives
   * (scripts/migration-rules.mjs). Every build must know the others.
   */
  readonly newest?: boolean;
  /** Of a baseline: the migrations that it stands for, up to its number, in order. */
  readonly standsFor?: readonly Stood[];
}

type Stood = Pick<Migration, 'number' | 'name' | 'checksum'>;

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
/** A folder of files, which make what all migrations up to its number made. */
const BASELINE = /^(\d{4})-baseline$/;
/** Key of the advisory lock that keeps replicas from migrating at once. */
const LOCK_KEY = 7_204_311;

/** What every build must know is in the first table, what the newest release brings in the second. */
type History = 'schema_migration' | 'schema_step';

const historyTable = (name: History) => `
  CREATE TABLE IF NOT EXISTS ${name} (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/**
 * Reads `NNNN-name.sql` files, and the file `released.json` beside their folder: the number of the
 * last migration of each release. The first may be a folder `NNNN-baseline` of files in the order of
 * their names, with `stands-for.json`: the checksums of the migrations in whose place it is.
 *
 * @throws {MigrationError} on a gap, a duplicate or another name.
 */
export function readMigrations(directory: URL): readonly Migration[] {
  const [first = '', ...more] = readdirSync(directory).sort();
  const baseline = BASELINE.test(first) ? readBaseline(new URL(`${first}/`, directory), first) : [];
  const names = baseline.length === 0 ? [first, ...more].filter((name) => name !== '') : more;
  const before = baseline[0]?.number ?? 0;
  const settled = settledCount(
    before + names.length,
    releasedNumbers(new URL('../released.json', directory)),
  );
  const files = names.map((name, index) => {
    const number = Number(FILE.exec(name)?.[1]);
    const expected = before + index + 1;
    if (number !== expected) {
      throw new MigrationError(`migration ${name} is not number ${expected} as NNNN-name.sql`);
    }
    const sql = readFileSync(new URL(name, directory), 'utf8');
    return { number, name, sql, checksum: sha256(sql), ...(number > settled && { newest: true }) };
  });
  return [...baseline, ...files];
}

function readBaseline(folder: URL, name: string): readonly Migration[] {
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const stood = JSON.parse(readFileSync(new URL('stands-for.json', folder), 'utf8')) as Record<
    string,
    string
  >;
  const standsFor = Object.entries(stood).map(([file, checksum], index) => ({
    number: index + 1,
    name: file,
    checksum,
  }));
  // Functions of one file name tables and functions of a later one.
  const sql = ['SET LOCAL check_function_bodies = off;', ...texts].join('\n');
  return [{ number: standsFor.length, name, sql, checksum: sha256(sql), standsFor }];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function releasedNumbers(file: URL): readonly number[] {
  if (!existsSync(file)) return [];
  return Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
}

/** How many of a build's migrations the build of the release before has too; all, where none was. */
function settledCount(count: number, released: readonly number[]): number {
  const before = released.filter((number) => number < count);
  return before.length === 0 ? count : Math.max(...before);
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
    if (!isPrivilegeMissing(error)) throw error;
    throw new MigrationError(
      `${lacking(pending)}, and this role may not change it (${error.message}): ${REMEDY}`,
      { cause: error },
    );
  }
}

/** Lets the service role do what the service does, and nothing else. The schema's owner calls it. */
export async function grantToService(database: Database, grants: string): Promise<void> {
  if (grants === '') return;
  await untilLocked(() =>
    database.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
      await transaction.execute(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
      await transaction.execute(grants);
    }),
  );
}

/** @throws {MigrationError} when a migration is pending; changes nothing. */
export async function requireCurrentSchema(
  sql: Sql,
  migrations: readonly Migration[],
): Promise<void> {
  const { pending } = await migrationStatus(sql, migrations);
  if (pending.length > 0) throw new MigrationError(`${lacking(pending)}: ${REMEDY}`);
}

const REMEDY =
  'run `migrate` of the service’s tool (`cls-auth`, `cls-api` or `cls-explorer`) as the role that owns the schema';

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
    const next = await untilLocked(() => applyNext(database, migrations, grants));
    if (next === undefined) return applied;
    applied.push(next.name);
  }
}

function applyNext(
  database: Database,
  migrations: readonly Migration[],
  grants: string,
): Promise<Migration | undefined> {
  return database.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await transaction.execute(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
    await transaction.execute(historyTable('schema_migration'));
    const [pending, ...more] = pendingOf(migrations, await appliedMigrations(transaction));
    if (pending !== undefined) {
      await transaction.execute(pending.sql);
      await record(transaction, pending, settledNumber(migrations));
      // With the last one, because a schema that lacks none is not looked at again.
      if (more.length === 0 && grants !== '') await transaction.execute(grants);
    }
    return pending;
  });
}

/**
 * Who waits for a table that somebody reads makes everybody wait behind them: so not for long. Far less
 * than PostgreSQL's `deadlock_timeout` (1 s), so that a deadlock ends the migration and no request.
 */
const LOCK_WAIT_MS = 300;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TRIES_FOR_MS = 30 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Tries again while others hold what is needed: nothing of the attempt has stayed. */
async function untilLocked<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + LOCK_TRIES_FOR_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const locked =
        error instanceof Deadlocked ||
        (error instanceof SqlError && error.code === LOCK_NOT_AVAILABLE);
      if (!locked || Date.now() > deadline) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Up to which number every build must know the migrations. */
function settledNumber(migrations: readonly Migration[]): number {
  return migrations.findLast(({ newest }) => !newest)?.number ?? 0;
}

/**
 * A migration of the newest release makes those of the release before known to every build. A
 * baseline leaves the rows of the migrations that it stands for: nobody can tell a database that it
 * made from one that they made.
 */
async function record(
  transaction: Transaction,
  migration: Migration,
  settled: number,
): Promise<void> {
  const table: History = migration.newest ? 'schema_step' : 'schema_migration';
  if (migration.newest) {
    await transaction.execute(historyTable('schema_step'));
    await transaction.query(
      `WITH settled AS (DELETE FROM schema_step WHERE number <= $1 RETURNING *)
       INSERT INTO schema_migration SELECT * FROM settled`,
      [settled],
    );
  }
  for (const { number, name, checksum } of migration.standsFor ?? [migration]) {
    const values = [number, name, checksum];
    await transaction.query(
      `INSERT INTO ${table} (number, name, checksum) VALUES ($1, $2, $3)`,
      values,
    );
  }
}

/** What a migration run would do. */
export async function migrationStatus(
  database: Sql,
  migrations: readonly Migration[],
): Promise<MigrationStatus> {
  const done = await appliedMigrations(database);
  const pending = pendingOf(migrations, done);
  return { applied: done.map((row) => row.name), pending: pending.map(({ name }) => name) };
}

/** A migration that a database has. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  /** The build of the release before may start without knowing it. */
  readonly newest: boolean;
}

/** In order; none where no migration ran. */
export async function appliedMigrations(sql: Sql): Promise<readonly AppliedMigration[]> {
  const tables = await sql.query<{ name: History }>(
    `SELECT name FROM unnest('{schema_migration,schema_step}'::text[]) AS name
     WHERE to_regclass(name) IS NOT NULL`,
  );
  if (tables.length === 0) return [];
  const rows = tables.map(
    ({ name }) => `SELECT number, name, checksum, ${name === 'schema_step'} AS newest FROM ${name}`,
  );
  return sql.query<AppliedMigration>(`${rows.join(' UNION ALL ')} ORDER BY number`);
}

function pendingOf(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const known = new Map(knownMigrations(migrations).map((one) => [one.number, one]));
  for (const row of applied) {
    const { checksum } = known.get(row.number) ?? {};
    if (checksum === undefined && !row.newest) {
      throw new MigrationError(
        `the database has ${row.name}, which this build does not know: the database is more than one release newer than this build, so start a newer build`,
      );
    }
    if (checksum !== undefined && checksum !== row.checksum) {
      throw new MigrationError(`${row.name} differs from the text that was applied`);
    }
  }
  const [first] = migrations;
  const last = applied.at(-1);
  if (last !== undefined && first?.standsFor !== undefined && last.number < first.number) {
    const { name } = first.standsFor.at(-1) ?? first;
    throw new MigrationError(
      `the database has migrations up to ${last.name}, and this build begins after ${name}: start the release before this one on it once, which applies what lies between, and then this one`,
    );
  }
  return migrations.filter(({ number }) => number > (last?.number ?? 0));
}

/** What rows a database may have: each migration, and in the place of a baseline those that it stands for. */
export function knownMigrations(migrations: readonly Migration[]): readonly Stood[] {
  return migrations.flatMap((one) => one.standsFor ?? [one]);
}
