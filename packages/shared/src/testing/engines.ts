import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '../embedded/embedded-database.ts';
import { Secret } from '../secret.ts';
import type { Database } from '../sql/database.ts';
import type { DatabaseLocation } from '../sql/open-database.ts';
import { postgresDatabase } from '../sql/postgres.ts';
import { pgbouncerBinary, postgresServer, startPgbouncer, temporaryDirectory } from './servers.ts';

/** A kind of database that a suite runs on. */
export interface Engine {
  readonly name: 'PGlite' | 'PostgreSQL';
  /** A place with an empty database; a service or a tool opens it. */
  createLocation(): Promise<DatabaseLocation>;
  /** An open, empty database; the caller closes it. */
  open(): Promise<Database>;
}

/**
 * Runs `suite` once per engine. Where PostgreSQL is not installed its run is skipped and says so;
 * with `CLS_REQUIRE_SERVERS=1` it fails instead.
 */
export function describeOnEngines(title: string, suite: (engine: Engine) => void): void {
  describe(`${title} [PGlite]`, () => suite(pglite));
  describe(`${title} [PostgreSQL]`, () => {
    before(async function () {
      requireServer(this, 'PostgreSQL', await postgresServer());
    });
    suite(postgres);
  });
}

/** Skips the rest of a suite, or fails it, when a server that it needs is missing. */
export function requireServer<T>(
  context: Mocha.Context,
  name: string,
  server: T | undefined,
): asserts server is T {
  if (server !== undefined) return;
  if (process.env['CLS_REQUIRE_SERVERS'] === '1') {
    throw new Error(`${name} is not installed, and CLS_REQUIRE_SERVERS=1 demands it`);
  }
  process.stderr.write(`SKIPPED: ${name} is not installed on this machine\n`);
  context.skip();
}

/** Skips the rest of a suite, or fails it, where PostgreSQL or pgbouncer is missing. */
export async function requirePgbouncer(context: Mocha.Context): Promise<void> {
  requireServer(context, 'PostgreSQL', await postgresServer());
  requireServer(context, 'pgbouncer', pgbouncerBinary());
}

/** For suites whose subject does not depend on the database. */
export const pglite: Engine = {
  name: 'PGlite',
  async createLocation() {
    const directory = join(temporaryDirectory('cls-pglite-'), 'database');
    cpSync(await template(), directory, { recursive: true });
    return { kind: 'embedded', directory };
  },
  async open() {
    const location = await this.createLocation();
    if (location.kind !== 'embedded') throw new Error('not an embedded location');
    return openEmbeddedDatabase(location.directory);
  },
};

/** For suites whose subject is what several connections do at once. */
export const postgres: Engine = {
  name: 'PostgreSQL',
  async createLocation() {
    const server = await postgresServer();
    if (server === undefined) throw new Error('PostgreSQL is not installed');
    return { kind: 'postgres', url: new Secret(await server.createDatabase()), poolSize: 5 };
  },
  async open() {
    const location = await this.createLocation();
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    return postgresDatabase({
      url: location.url,
      poolSize: 5,
      statementTimeoutMs: 30_000,
      applicationName: 'cls-test',
      onError: () => undefined,
    });
  },
};

/**
 * PostgreSQL as production has it: migrations run as the owner, services and tools as `role`.
 * `open` opens as the owner.
 */
export function postgresAsService(role: 'cls_auth_service' | 'cls_api_service'): Engine {
  return {
    ...postgres,
    async createLocation() {
      const server = await postgresServer();
      if (server === undefined) throw new Error('PostgreSQL is not installed');
      server.runScript(fileURLToPath(ROLES));
      const owner = await server.createDatabase();
      const url = new URL(owner);
      url.username = role;
      return {
        kind: 'postgres',
        url: new Secret(url.href),
        ownerUrl: new Secret(owner),
        poolSize: 5,
      };
    },
  };
}

/** PostgreSQL behind pgbouncer, which hands each transaction another session. */
export const postgresThroughPgbouncer: Engine = {
  ...postgres,
  async createLocation() {
    const server = await postgresServer();
    if (server === undefined) throw new Error('PostgreSQL is not installed');
    const direct = await server.createDatabase();
    const settings = ['pool_mode = transaction', 'default_pool_size = 3'];
    const pooler = await startPgbouncer(direct, settings);
    if (pooler === undefined) throw new Error('pgbouncer is not installed');
    return {
      kind: 'postgres',
      url: new Secret(pooler.url),
      listenUrl: new Secret(direct),
      poolSize: 5,
    };
  },
};

const ROLES = new URL('../../../../../deploy/roles.sql', import.meta.url);

let templateDirectory: Promise<string> | undefined;

/** Building an embedded cluster takes seconds; copying one does not. */
function template(): Promise<string> {
  templateDirectory ??= (async () => {
    const directory = join(temporaryDirectory('cls-template-'), 'database');
    const database = await openEmbeddedDatabase(directory);
    await database.close();
    if (!existsSync(join(directory, 'pg'))) throw new Error('the template was not built');
    return directory;
  })();
  return templateDirectory;
}
