import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
  requireEmbeddedStore,
} from '../embedded/embedded-database.ts';
import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import type { Database } from '../sql/database.ts';
import { requireEngine } from '../sql/engine-check.ts';
import { migrate, requireCurrentSchema, type Schema } from '../sql/migrate.ts';
import { postgresDatabase, postgresForRequests } from '../sql/postgres.ts';

/** Where a service keeps its durable records. */
export type DatabaseLocation =
  | ({
      readonly kind: 'postgres';
      readonly url: Secret;
      readonly poolSize: number;
      /** Where LISTEN goes, round a pooler that shares sessions; `url` when undefined. */
      readonly listenUrl?: Secret;
      /** As which migrations run; `url` when undefined. */
      readonly ownerUrl?: Secret;
    } & SchemaPolicy &
      Patience)
  | ({ readonly kind: 'embedded'; readonly directory: string } & SchemaPolicy & Patience);

interface SchemaPolicy {
  /** A service and its tools apply no migration and refuse a schema that lacks one. */
  readonly migratedElsewhere?: boolean;
}

/** How long a service waits; tests wait longer, because their machine may be busy. */
interface Patience {
  /** For a statement of a request. */
  readonly statementTimeoutMs?: number;
  /**
   * How long a service waits for an operator's command, such as an import, on an embedded database.
   */
  readonly patienceMs?: number;
}

const SERVICE_STATEMENT_TIMEOUT_MS = 10_000;
const CHECK_STATEMENT_TIMEOUT_MS = 5_000;
const PATIENCE_MS = 5_000;
/** `requireEngine` asks two sessions for one lock. */
const ENGINE_CHECK_SESSIONS = 2;
/** An import or a migration may take long, and no caller waits for it over HTTP. */
const TOOL_STATEMENT_TIMEOUT_MS = 30 * 60_000;

/**
 * For a service: brings the schema to this build's (or checks that it is), then opens. Refuses an
 * embedded directory that another process holds.
 *
 * @throws {MigrationError} when the schema is not this build's and cannot be made so.
 */
export async function openDatabase(
  location: DatabaseLocation,
  applicationName: string,
  schema: Schema,
  log: Log,
): Promise<Database> {
  const { statementTimeoutMs = SERVICE_STATEMENT_TIMEOUT_MS, patienceMs = PATIENCE_MS } = location;
  if (location.kind === 'embedded') {
    log.warn(
      { directory: location.directory },
      'embedded database: it survives a crash of this process, not of the machine; for one process only',
    );
    const database = await openEmbeddedDatabase(location.directory, {
      statementTimeoutMs,
      patienceMs,
      onClosed: (sentence) => log.warn({}, sentence),
    });
    return closedOnFailure(database, prepareSchema(database, location, schema));
  }
  await prepareAsOwner(location, applicationName, schema, log);
  return postgres(location, applicationName, statementTimeoutMs, log, true);
}

/**
 * For a command-line tool: works through the service where one holds the directory. With a schema,
 * as `openDatabase`.
 *
 * @param mayCreate false for what only reads or changes what is there: a mistyped directory is
 *   refused, and not filled.
 * @throws {MigrationError} as `openDatabase`. @throws {StoreMissing}
 */
export async function openDatabaseAsOperator(
  location: DatabaseLocation,
  applicationName: string,
  log: Log,
  schema?: Schema,
  mayCreate = true,
): Promise<Database> {
  if (location.kind === 'embedded') {
    if (!mayCreate) requireEmbeddedStore(location.directory);
    const database = await openEmbeddedDatabaseAsOperator(location.directory);
    const prepared = schema && prepareSchema(database, location, schema);
    return closedOnFailure(database, prepared);
  }
  if (schema !== undefined) await prepareAsOwner(location, applicationName, schema, log);
  return postgres(location, applicationName, TOOL_STATEMENT_TIMEOUT_MS, log);
}

/**
 * For the `migrate` command, which makes a store unless it only checks: as the role that owns the schema, whose state may be any.
 *
 * @throws {StoreMissing} @throws {MigrationError} for an engine that is not ours.
 */
export async function openDatabaseAsOwner(
  location: DatabaseLocation,
  applicationName: string,
  log: Log,
  mayCreate: boolean,
): Promise<Database> {
  if (location.kind === 'embedded') {
    if (!mayCreate) requireEmbeddedStore(location.directory);
    return openEmbeddedDatabaseAsOperator(location.directory);
  }
  const database = openSessions(asOwner(location), applicationName, log);
  return closedOnFailure(database, requireEngine(database));
}

/**
 * For the reads of a service: a streaming replica of its database. It opens on first use, and may be
 * down, behind or promoted.
 */
export function openReadReplica(
  location: DatabaseLocation & { readonly kind: 'postgres' },
  applicationName: string,
  log: Log,
): Database {
  const { statementTimeoutMs = SERVICE_STATEMENT_TIMEOUT_MS } = location;
  return postgres(location, applicationName, statementTimeoutMs, log, true);
}

/**
 * For the `check` command: as the service opens it, whatever its schema is, and without waiting for
 * a server that does not answer.
 *
 * @throws {StoreMissing}
 */
export async function openDatabaseToCheck(
  location: DatabaseLocation,
  applicationName: string,
  log: Log,
): Promise<Database> {
  if (location.kind === 'embedded') requireEmbeddedStore(location.directory);
  return location.kind === 'embedded'
    ? openEmbeddedDatabaseAsOperator(location.directory)
    : postgres(
        { ...location, poolSize: ENGINE_CHECK_SESSIONS },
        applicationName,
        CHECK_STATEMENT_TIMEOUT_MS,
        log,
        true,
      );
}

type PostgresLocation = Extract<DatabaseLocation, { kind: 'postgres' }>;

function asOwner(location: PostgresLocation): PostgresLocation {
  return { ...location, url: location.ownerUrl ?? location.url };
}

/** The same store, for what only the role that owns the schema may do. */
export function ownerLocation(location: DatabaseLocation): DatabaseLocation {
  return location.kind === 'postgres' ? asOwner(location) : location;
}

/** A large table, or waiting for the replica that migrates it, takes longer than a request may. */
async function prepareAsOwner(
  location: PostgresLocation,
  applicationName: string,
  schema: Schema,
  log: Log,
): Promise<void> {
  const as = location.migratedElsewhere ? location : asOwner(location);
  const database = openSessions(as, applicationName, log);
  try {
    await requireEngine(database);
    await prepareSchema(database, location, schema);
  } finally {
    await database.close();
  }
}

/** For a tool, with as many sessions as `requireEngine` asks. */
function openSessions(location: PostgresLocation, applicationName: string, log: Log): Database {
  const sessions = { ...location, poolSize: Math.max(location.poolSize, ENGINE_CHECK_SESSIONS) };
  return postgres(sessions, applicationName, TOOL_STATEMENT_TIMEOUT_MS, log);
}

async function prepareSchema(
  database: Database,
  { migratedElsewhere }: SchemaPolicy,
  { migrations, grants }: Schema,
): Promise<void> {
  if (migratedElsewhere) await requireCurrentSchema(database, migrations);
  else await migrate(database, migrations, grants);
}

async function closedOnFailure(
  database: Database,
  work: Promise<void> | undefined,
): Promise<Database> {
  try {
    await work;
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function postgres(
  { url, poolSize, listenUrl }: PostgresLocation,
  applicationName: string,
  statementTimeoutMs: number,
  log: Log,
  forRequests = false,
): Database {
  const open = forRequests ? postgresForRequests : postgresDatabase;
  return open({
    url,
    poolSize,
    ...(listenUrl === undefined ? {} : { listenUrl }),
    statementTimeoutMs,
    failFast: forRequests,
    applicationName,
    onError: (err) => log.warn({ err }, 'an idle database connection was lost'),
    onNoNotices: () =>
      log.warn(
        {},
        'the database is reached through a pooler that delivers no notices: changes by other processes are seen after seconds; set AUTH_LISTEN_URL to the database itself',
      ),
  });
}
