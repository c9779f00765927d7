import { checkReadReplica, type DatabaseCheckDeps } from '@cls/shared/check/check-database';
import { type Finding, findingsOf } from '@cls/shared/check/finding';
import { silentLog } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { openDatabaseToCheck } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import type { SessionUse } from '@cls/shared/sql/postgres';
import { MIGRATIONS } from './migrations.ts';
import { type BookFigures, bookFigures } from './sql-book-figures.ts';

const TOOL = 'cls-api';
/** On the primary and on each replica: readiness and figures of the book are read beside requests. */
export const SESSIONS: SessionUse = { beside: true, listeners: 0 };
/** How long a replica may take to apply what the primary had when the check began. */
const CATCH_UP_MS = 2_000;
const STEP_MS = 50;

/** Each database of `API_READ_DATABASE_URLS`: a standby of the primary, reached, and up to date. */
export async function checkReadReplicas(
  config: DatabaseCheckDeps['config'] & { readonly readReplicas: readonly Secret[] },
): Promise<readonly Finding[]> {
  const { database: location, readReplicas } = config;
  if (location.kind !== 'postgres' || readReplicas.length === 0) return [];
  const primary = await openDatabaseToCheck(location, TOOL, silentLog);
  try {
    const newest = await primaryState(primary);
    const found = readReplicas.map((url, index) =>
      checkReadReplica(
        {
          config: { ...config, database: { ...location, url } },
          tool: TOOL,
          migrations: MIGRATIONS,
          sessions: SESSIONS,
        },
        `replica ${index + 1}`,
        (replica) => follows(replica, newest),
      ),
    );
    return (await Promise.all(found)).flat();
  } finally {
    await primary.close().catch(() => undefined);
  }
}

interface Server {
  readonly identifier: string;
  readonly standby: boolean;
  readonly readOnly: boolean;
}

const SERVER = `SELECT system_identifier::text AS identifier, pg_is_in_recovery() AS standby,
  current_setting('transaction_read_only')::bool AS "readOnly" FROM pg_control_system()`;

async function serverOf(database: Database): Promise<Server> {
  const [server] = await database.query<Server>(SERVER);
  if (server === undefined) throw new Error('the server does not identify itself');
  return server;
}

interface PrimaryState {
  readonly server: Server;
  readonly figures: BookFigures;
}

/** Undefined where it does not answer: the check of the database says why. */
async function primaryState(primary: Database): Promise<PrimaryState | undefined> {
  try {
    return { server: await serverOf(primary), figures: await bookFigures(primary)() };
  } catch {
    return undefined;
  }
}

async function follows(
  replica: Database,
  newest: PrimaryState | undefined,
): Promise<readonly Finding[]> {
  const { ok, failed, skipped } = findingsOf('replica');
  const { identifier, standby, readOnly } = await serverOf(replica);
  const writes = readOnly
    ? ok('writes', 'it takes none')
    : failed('writes', 'it takes writes', BUILD_ANEW);
  if (newest === undefined) {
    const todo = 'see the findings of the database';
    return [skipped('standby', 'API_DATABASE_URL does not answer', todo), writes];
  }
  if (identifier !== newest.server.identifier) {
    const todo = 'name streaming replicas of the server of API_DATABASE_URL';
    return [failed('standby', 'it has the data of another server', todo), writes];
  }
  if (!standby) return [failed('standby', 'it is a primary', BUILD_ANEW), writes];
  return [
    ok('standby', 'of the server of API_DATABASE_URL'),
    writes,
    await upToDate(replica, newest),
  ];
}

const BUILD_ANEW =
  'name a standby; if this one was promoted by itself, build it anew from the primary (pg_basebackup, pg_rewind)';

async function upToDate(replica: Database, { figures }: PrimaryState): Promise<Finding> {
  const { ok, warning } = findingsOf('replica');
  const read = bookFigures(replica);
  const deadline = performance.now() + CATCH_UP_MS;
  for (;;) {
    const { sequence, replayLagS = 0 } = await read();
    if (sequence >= figures.sequence) return ok('up to date', `journal ${sequence}`);
    if (performance.now() > deadline) {
      const found = `${figures.sequence - sequence} journals behind; its last transaction is ${replayLagS.toFixed(0)} s old`;
      const todo =
        'until it has caught up, questions go to the primary: look at pg_stat_replication there, and at the log of the replica';
      return warning('up to date', found, todo);
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
