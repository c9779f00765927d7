import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from './database.ts';

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

/** Applies what is pending, each migration in one transaction; safe for several replicas. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<MigrationStatus> {
  const applied: string[] = [];
  for (;;) {
    const next = await database.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
      await transaction.execute(HISTORY);
      const pending = pendingOf(migrations, await history(transaction))[0];
      if (pending !== undefined) {
        await transaction.execute(pending.sql);
        await transaction.query(
          'INSERT INTO schema_migration (number, name, checksum) VALUES ($1, $2, $3)',
          [pending.number, pending.name, pending.checksum],
        );
      }
      return pending;
    });
    if (next === undefined) return { applied, pending: [] };
    applied.push(next.name);
  }
}

/** What a migration run would do. */
export async function migrationStatus(
  database: Database,
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
