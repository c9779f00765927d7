import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
} from '../embedded/embedded-database.ts';
import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import type { Database } from './database.ts';
import { type Migration, migrate } from './migrate.ts';
import { postgresDatabase } from './postgres.ts';

/** Where a service keeps its durable records. */
export type DatabaseLocation =
  | { readonly kind: 'postgres'; readonly url: Secret; readonly poolSize: number }
  | { readonly kind: 'embedded'; readonly directory: string };

const SERVICE_STATEMENT_TIMEOUT_MS = 10_000;
/** An import or a migration may take long, and nobody waits for an answer over HTTP. */
const TOOL_STATEMENT_TIMEOUT_MS = 30 * 60_000;

/**
 * For a service: brings the schema to this build's, then opens. Refuses an embedded directory that
 * another process holds.
 */
export async function openDatabase(
  location: DatabaseLocation,
  applicationName: string,
  migrations: readonly Migration[],
  log: Log,
): Promise<Database> {
  if (location.kind === 'embedded') {
    log.warn(
      { directory: location.directory },
      'embedded database: it survives a crash of this process, not of the machine; for one process only',
    );
    const database = await openEmbeddedDatabase(location.directory);
    await migrate(database, migrations).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return database;
  }
  // A large table, or waiting for the replica that migrates it, takes longer than a request may.
  const patient = postgres(location, applicationName, TOOL_STATEMENT_TIMEOUT_MS, log);
  await migrate(patient, migrations).finally(() => patient.close());
  return postgres(location, applicationName, SERVICE_STATEMENT_TIMEOUT_MS, log);
}

/** For a command-line tool: works through the service where one holds the directory. */
export async function openDatabaseAsOperator(
  location: DatabaseLocation,
  applicationName: string,
  log: Log,
): Promise<Database> {
  return location.kind === 'embedded'
    ? openEmbeddedDatabaseAsOperator(location.directory)
    : postgres(location, applicationName, TOOL_STATEMENT_TIMEOUT_MS, log);
}

function postgres(
  { url, poolSize }: Extract<DatabaseLocation, { kind: 'postgres' }>,
  applicationName: string,
  statementTimeoutMs: number,
  log: Log,
): Database {
  return postgresDatabase({
    url,
    poolSize,
    statementTimeoutMs,
    applicationName,
    onError: (err) => log.warn({ err }, 'an idle database connection was lost'),
  });
}
