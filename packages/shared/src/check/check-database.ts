import { StoreMissing } from '../embedded/embedded-database.ts';
import { silentLog } from '../log.ts';
import { reasonOf } from '../reason.ts';
import { type DatabaseLocation, openDatabaseToCheck } from '../service/open-database.ts';
import { databaseRole } from '../service/owner-role.ts';
import { plaintextConnections } from '../service/plaintext-connections.ts';
import type { ServiceEnvironment } from '../service/service-environment.ts';
import type { Database } from '../sql/database.ts';
import { databaseClock } from '../sql/database-clock.ts';
import { requireEngine } from '../sql/engine-check.ts';
import { MigrationError, migrationStatus, readSchema } from '../sql/migrate.ts';
import { type SessionUse, sessionsMax } from '../sql/postgres.ts';
import { clockFinding } from './check-clock.ts';
import { checkHosts } from './check-hosts.ts';
import { type Finding, findingsOf, refusalFinding } from './finding.ts';

const FINDINGS = findingsOf('database');
const { ok, warning, failed } = FINDINGS;
const MIGRATIONS_CHECK = 'migrations';

export interface DatabaseCheckDeps {
  readonly config: Pick<
    ServiceEnvironment,
    'database' | 'redisUrl' | 'production' | 'clockToleranceS'
  >;
  /** `cls-auth`, in what to do. */
  readonly tool: string;
  /** The SQL files of this build. */
  readonly migrations: URL;
  readonly sessions: SessionUse;
}

/**
 * The database as the service would use it. Nothing is changed, and no store is made.
 *
 * @param more what else is asked of this database. It may need tables, so it is left out where the
 *   schema is not this build's: the finding about migrations then says what to do.
 */
export async function checkDatabase(
  deps: DatabaseCheckDeps,
  more: MoreChecks = async () => [],
): Promise<readonly Finding[]> {
  const { database } = deps.config;
  if (database.kind === 'embedded') return checkOpened(deps, [embedded, schema], more);
  const checks = [version, takesWrites, role, schema, encrypted, connections, clock];
  return [...(await checkOpened(deps, checks, more)), ...(await checkHosts(database, deps.tool))];
}

/**
 * A streaming replica as the service would read it.
 *
 * @param deps `database` is the replica. @param part the name in the findings.
 */
export async function checkReadReplica(
  deps: DatabaseCheckDeps,
  part: string,
  more: MoreChecks,
): Promise<readonly Finding[]> {
  const findings = await checkOpened(deps, [version, more, role, encrypted, connections, clock]);
  return findings.map((finding) => ({ ...finding, part }));
}

type MoreChecks = (database: Database) => Promise<readonly Finding[]>;
type DatabaseCheck = (
  database: Database,
  deps: DatabaseCheckDeps,
) => Promise<Finding | readonly Finding[]>;

async function checkOpened(
  deps: DatabaseCheckDeps,
  checks: readonly DatabaseCheck[],
  more?: MoreChecks,
): Promise<readonly Finding[]> {
  const { config, tool } = deps;
  let database: Database;
  try {
    database = await openDatabaseToCheck(config.database, tool, silentLog);
  } catch (error) {
    return [notOpened(error, deps)];
  }
  const findings: Finding[] = [];
  const tables: DatabaseCheck = async () =>
    isMigrated(findings) && more !== undefined ? more(database) : [];
  try {
    for (const check of [...checks, tables]) {
      try {
        findings.push(...[await check(database, deps)].flat());
      } catch (error) {
        if (check === version && error instanceof MigrationError) {
          findings.push(refusalFinding(FINDINGS, 'version', error.message));
          break;
        }
        const name = check === version ? 'reachable' : check.name;
        findings.push(failed(name, reasonOf(error), UNREACHABLE));
        if (check === version) break;
      }
    }
  } finally {
    await database.close().catch(() => undefined);
  }
  return findings;
}

function isMigrated(findings: readonly Finding[]): boolean {
  return findings.some(({ check, result }) => check === MIGRATIONS_CHECK && result === 'ok');
}

const UNREACHABLE =
  'check host, port, user, password and database of the URL, and that the server lets this machine in (pg_hba.conf, firewall)';

function notOpened(error: unknown, { tool }: DatabaseCheckDeps): Finding {
  if (error instanceof StoreMissing) {
    const todo = `the first start of the service makes it, or ${tool} migrate; if there should be one, check CLS_DATA_DIR`;
    return warning('store', 'there is no embedded store yet', todo);
  }
  return failed('reachable', reasonOf(error), UNREACHABLE);
}

async function embedded(_: Database, { config }: DatabaseCheckDeps): Promise<Finding> {
  const found = 'PGlite, embedded; it survives a crash of the process, not of the machine';
  return config.production
    ? warning('version', found, 'use PostgreSQL for data that must last: docs/guides/deployment.md')
    : ok('version', found);
}

/** @throws {MigrationError} where the start would refuse the engine. */
async function version(database: Database): Promise<Finding> {
  const [row] = await database.query<{ number: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS number,
       current_setting('server_encoding') AS encoding`,
  );
  const { number = 0, encoding } = row ?? {};
  const found = `PostgreSQL ${Math.floor(number / 10_000)}.${number % 10_000}`;
  await requireEngine(database);
  return encoding === 'UTF8'
    ? ok('version', found)
    : failed('version', `${found}, encoding ${encoding}`, 'make the database with ENCODING UTF8');
}

async function takesWrites(database: Database): Promise<Finding> {
  const [row] = await database.query<WritesRow>(
    `SELECT pg_is_in_recovery() AS standby,
       current_setting('default_transaction_read_only')::bool AS "readOnly",
       current_setting('synchronous_standby_names') AS "waitsFor",
       (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
       (SELECT count(*)::int FROM pg_stat_activity
        WHERE wait_event = 'SyncRep' AND state_change < now() - interval '2 seconds') AS waiting`,
  );
  if (row?.standby) {
    const todo =
      'name the primary in the URL, or all hosts with commas: the one that takes writes is found';
    return failed('writes', 'it is a standby', todo);
  }
  if (row?.readOnly) {
    return failed('writes', 'it is read-only', 'set default_transaction_read_only to off');
  }
  if (row?.waitsFor && (row.standbys === 0 || row.waiting > 0)) {
    const todo =
      'start the standby; or set synchronous_standby_names to nothing, until there is one again: docs/guides/runbooks/fail-over.md';
    const found = `commits wait for a standby that does not confirm them (synchronous_standby_names = ${row.waitsFor})`;
    return failed('writes', found, todo);
  }
  return ok('writes', 'it takes writes');
}

interface WritesRow {
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Empty: a commit waits for no standby. */
  readonly waitsFor: string;
  readonly standbys: number;
  /** Commits of this role that wait for a standby. */
  readonly waiting: number;
}

async function role(database: Database, { config }: DatabaseCheckDeps): Promise<Finding> {
  const { name, superuser, owner } = await databaseRole(database);
  if (!superuser && !owner) return ok('role', `${name} does not own the schema`);
  const found = `${name} ${superuser ? 'is a superuser' : 'owns the schema'}`;
  const todo =
    'run the service as a role that cannot change its own schema: docs/guides/deployment.md, "Database roles"';
  return config.production ? warning('role', found, todo) : ok('role', `${found} (development)`);
}

async function schema(
  database: Database,
  { config, tool, migrations }: DatabaseCheckDeps,
): Promise<readonly Finding[]> {
  const known = readSchema(migrations).migrations;
  const grants = await ungranted(database, tool);
  let pending: readonly string[];
  try {
    ({ pending } = await migrationStatus(database, known));
  } catch (error) {
    const todo = `use the build that the database was migrated with, or a newer one; if a privilege is missing, run ${tool} migrate as the owner`;
    return [failed(MIGRATIONS_CHECK, reasonOf(error), todo), ...grants];
  }
  if (pending.length === 0) {
    return [ok(MIGRATIONS_CHECK, `all ${known.length} are applied`), ...grants];
  }
  const found = `${pending.length} pending, from ${pending[0]} on`;
  return config.database.migratedElsewhere
    ? [failed(MIGRATIONS_CHECK, found, `run ${tool} migrate as the role that owns the schema`)]
    : [warning(MIGRATIONS_CHECK, found, 'back up; the next start of the service applies them')];
}

/** Tables of which this role may do nothing: they were made without the grants. */
async function ungranted(database: Database, tool: string): Promise<readonly Finding[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND NOT has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE') ORDER BY relname LIMIT 5`,
  );
  if (rows.length === 0) return [];
  const names = rows.map(({ name }) => name).join(', ');
  const todo = `run ${tool} migrate as the owner: it grants what the service needs`;
  return [failed('grants', `this role may not use ${names}`, todo)];
}

async function encrypted(
  database: Database,
  { config: { database: location, redisUrl } }: DatabaseCheckDeps,
): Promise<Finding> {
  const [row] = await database.query<{ ssl: boolean; version: string | null }>(
    'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
  );
  const found = row?.ssl ? `${row.version}` : 'not encrypted';
  const remote = plaintextConnections({ database: location, redisUrl }).includes('PostgreSQL');
  if (!remote) return ok('TLS', row?.ssl ? found : `${found}, on this machine`);
  return warning('TLS', found, 'add sslmode=verify-full to the URL, and sslrootcert for your CA');
}

async function connections(
  database: Database,
  { config, sessions }: DatabaseCheckDeps,
): Promise<Finding> {
  const [row] = await database.query<{ limit: number; used: number }>(
    `SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS limit,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  );
  const { limit = 0, used = 0 } = row ?? {};
  const most = sessionsMax(poolSizeOf(config.database), sessions);
  const found = `${used} of ${limit} in use; each process of this service opens up to ${most}`;
  if (limit - used >= most) return ok('connections', found);
  const todo =
    'raise max_connections, lower the pool of each replica (…_DATABASE_POOL_SIZE), or use pgbouncer; while the services run, their own connections count';
  return warning('connections', found, todo);
}

function poolSizeOf(location: DatabaseLocation): number {
  return location.kind === 'postgres' ? location.poolSize : 1;
}

async function clock(database: Database, { config }: DatabaseCheckDeps): Promise<Finding> {
  const startedMs = performance.now();
  const measured = await databaseClock(database);
  const uncertainS = (performance.now() - startedMs) / 2_000;
  if (measured === undefined) {
    return warning('clock', 'the answer took too long to compare clocks', 'try again');
  }
  return clockFinding(FINDINGS, {
    ...{ aheadS: -measured.aheadS, uncertainS, toleranceS: config.clockToleranceS },
  });
}
