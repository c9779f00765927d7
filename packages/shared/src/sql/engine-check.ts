import { randomInt } from 'node:crypto';
import type { Database } from './database.ts';
import { MigrationError } from './migrate.ts';

/** What `version()` of engines says that speak PostgreSQL's protocol and lack what the schema needs. */
const OTHER_ENGINES: readonly (readonly [RegExp, string])[] = [
  [/CockroachDB/i, 'CockroachDB, where advisory locks hold nobody up'],
  [/-YB-|Yugabyte/i, 'YugabyteDB, which has no transition tables of triggers'],
  [/Redshift/i, 'Redshift, which has no triggers'],
];
const OLDEST = 150_000;
const WAIT_MS = 2_000;

/**
 * Refuses what is not PostgreSQL 15 or newer, or only seems to be. A lock that holds nobody up would
 * let two writers post at once, and nothing would say so.
 *
 * @param database with two sessions or more
 * @throws {MigrationError}
 */
export async function requireEngine(database: Database): Promise<void> {
  const [engine] = await database.query<{ version: string; number: number }>(
    `SELECT version() AS version, current_setting('server_version_num')::int AS number`,
  );
  const { version = '', number = 0 } = engine ?? {};
  const other = OTHER_ENGINES.find(([pattern]) => pattern.test(version));
  if (other !== undefined) {
    throw new MigrationError(`the database is ${other[1]}: use PostgreSQL 15 or newer`);
  }
  if (number < OLDEST) {
    const found = `${Math.floor(number / 10_000)}`;
    throw new MigrationError(`the database is PostgreSQL ${found}: use 15 or newer`);
  }
  if (await isLockGivenTwice(database)) {
    throw new MigrationError(
      'the database gave one advisory lock to two sessions, so two writers could post at once: use PostgreSQL 15 or newer, and nothing in front of it that gives one session to two transactions',
    );
  }
}

/** Where no second session can be had in time, nothing is known, and nothing is refused. */
function isLockGivenTwice(database: Database): Promise<boolean> {
  // Others who check at the same time have keys of their own.
  const key = randomInt(2 ** 47);
  return database.transaction(async (holder) => {
    await holder.query('SELECT pg_advisory_xact_lock($1)', [key]);
    const second = database
      .query<{ given: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS given', [key])
      .then(([row]) => row?.given === true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS, false);
    });
    return Promise.race([second.catch(() => false), late]).finally(() => clearTimeout(timer));
  });
}
