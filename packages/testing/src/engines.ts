import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import { Secret } from '@cls/shared/secret';
import type { DatabaseLocation } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { postgresDatabase } from '@cls/shared/sql/postgres';
import { bringTo, templateDirectory } from './embedded-template.ts';
import { sharedByFiles } from './end-of-tests.ts';
import { areServersLeftOut, isEngineLeftOut } from './left-out.ts';
import {
  type PostgresServer,
  pgbouncerBinary,
  postgresBinDir,
  postgresServer,
  startPgbouncer,
  temporaryDirectory,
} from './servers.ts';

/** Writes what a database begins with. The function itself stands for what it writes. */
export type Content = (database: Database) => Promise<unknown>;

/** A kind of database that a suite runs on. */
export interface Engine {
  readonly name: 'PGlite' | 'PostgreSQL';
  /**
   * A place with a database, empty or with a schema already; a service or a tool opens it.
   *
   * @param content what it has besides: written once per process, and copied for each call.
   */
  createLocation(migrations?: URL, content?: Content): Promise<DatabaseLocation>;
  /** Such a place as an open database; the caller closes it. */
  open(migrations?: URL, content?: Content): Promise<Database>;
}

/**
 * A suite about what a database does: statements, plans, transactions, notices, migrations, policies, orders of
 * text. It runs on both engines. Where PostgreSQL is not installed its run is skipped and says so; with
 * `CLS_REQUIRE_SERVERS=1` it fails instead.
 */
export function describeOnEngines(title: string, suite: (engine: Engine) => void): void {
  if (!isEngineLeftOut('pglite')) describeOn(pglite, title, suite);
  if (!isEngineLeftOut('postgres')) describeOn(postgres, title, suite);
}

/**
 * A suite about what an answer means, whichever engine keeps the data: it runs on PostgreSQL, and on PGlite where
 * PostgreSQL is not installed. Where `ENGINES` names engines it runs on each of them.
 */
export function describeOnDatabase(title: string, suite: (engine: Engine) => void): void {
  if (process.env['ENGINES']) {
    describeOnEngines(title, suite);
    return;
  }
  describeOn(preferredEngine(), title, suite);
}

/** PostgreSQL, and PGlite where it is not installed or left out. */
function preferredEngine(): Engine {
  const isWanted = process.env['CLS_REQUIRE_SERVERS'] === '1' || postgresBinDir() !== undefined;
  return isWanted && !isEngineLeftOut('postgres') ? postgres : pglite;
}

function describeOn(engine: Engine, title: string, suite: (engine: Engine) => void): void {
  describe(`${title} [${engine.name}]`, () => {
    if (engine.name === 'PostgreSQL') {
      before(async function () {
        requireServer(this, 'PostgreSQL', await postgresServer());
      });
    }
    suite(engine);
  });
}

/** Skips the rest of a suite, or fails it, when a server that it needs is missing. */
export function requireServer<T>(
  context: Mocha.Context,
  name: string,
  server: T | undefined,
): asserts server is T {
  const leftOut = name === 'PostgreSQL' ? isEngineLeftOut('postgres') : areServersLeftOut();
  if (leftOut) context.skip();
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

/** A service under test does not give a statement up because the machine is busy. */
const UNHURRIED = { statementTimeoutMs: 300_000, patienceMs: 300_000 };

export const pglite: Engine = {
  name: 'PGlite',
  async createLocation(migrations, content) {
    const directory = join(temporaryDirectory('cls-pglite-'), 'database');
    const source = await (content === undefined
      ? templateDirectory(migrations)
      : directoryWith(content, migrations));
    cpSync(source, directory, { recursive: true });
    return { kind: 'embedded', directory, ...UNHURRIED };
  },
  async open(...given) {
    const location = await this.createLocation(...given);
    if (location.kind !== 'embedded') throw new Error('not an embedded location');
    const { directory } = location;
    const database = await openEmbeddedDatabase(directory);
    return {
      ...database,
      // Before the machine writes it to its disk.
      async close() {
        await database.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
};

/** For suites whose subject is what several connections do at once. */
export const postgres: Engine = {
  name: 'PostgreSQL',
  async createLocation(migrations, content) {
    const server = await postgresServer();
    if (server === undefined) throw new Error('PostgreSQL is not installed');
    const template = await databaseWith(server, migrations, content);
    const url = new Secret(await server.createDatabase(template));
    return { kind: 'postgres', url, poolSize: 5, ...UNHURRIED };
  },
  async open(...given) {
    const location = await this.createLocation(...given);
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    return openPostgres(location.url);
  },
};

/**
 * For suites whose subject does not depend on the database: PostgreSQL, which costs a fifth, or
 * PGlite where it is not installed.
 */
export const anyEngine: Engine = {
  get name() {
    return preferredEngine().name;
  },
  createLocation: (...given) => preferredEngine().createLocation(...given),
  open: (...given) => preferredEngine().open(...given),
};

/**
 * PostgreSQL as production has it: migrations run as the owner, services and tools as `role`.
 * `open` opens as the owner.
 */
export function postgresAsService(
  role: 'cls_auth_service' | 'cls_api_service' | 'cls_explorer_service',
): Engine {
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
        ...UNHURRIED,
      };
    },
  };
}

/** A copy of what a location holds now, while no service runs on it. */
export async function backupOf(location: DatabaseLocation): Promise<DatabaseLocation> {
  if (location.kind === 'embedded') {
    const directory = join(temporaryDirectory('cls-backup-'), 'database');
    cpSync(location.directory, directory, { recursive: true });
    return { ...location, directory };
  }
  const server = await postgresServer();
  if (server === undefined) throw new Error('PostgreSQL is not installed');
  const name = new URL(location.url.expose()).pathname.slice(1);
  return { ...location, url: new Secret(await server.createDatabase(name)) };
}

/** PostgreSQL behind pgbouncer, which hands each transaction another session. */
export const postgresThroughPgbouncer: Engine = {
  ...postgres,
  async createLocation(migrations) {
    const server = await postgresServer();
    if (server === undefined) throw new Error('PostgreSQL is not installed');
    const template = migrations && (await databaseWith(server, migrations));
    const direct = await server.createDatabase(template);
    const settings = ['pool_mode = transaction', 'default_pool_size = 3'];
    const pooler = await startPgbouncer(direct, settings);
    if (pooler === undefined) throw new Error('pgbouncer is not installed');
    return {
      kind: 'postgres',
      url: new Secret(pooler.url),
      listenUrl: new Secret(direct),
      poolSize: 5,
      ...UNHURRIED,
    };
  },
};

const ROLES = new URL('../../../../deploy/roles.sql', import.meta.url);

const directories = new Map<Content, Promise<string>>();

/** An embedded database with this content, which others are copied from. */
function directoryWith(content: Content, migrations: URL | undefined): Promise<string> {
  return kept(directories, content, async () => {
    const directory = join(temporaryDirectory('cls-content-'), 'database');
    cpSync(await templateDirectory(migrations), directory, { recursive: true });
    const database = await openEmbeddedDatabase(directory);
    await content(database).finally(() => database.close());
    return directory;
  });
}

const databases = new Map<unknown, Promise<string>>();

/** The name of a database that others are copied from; none for empty ones. */
async function databaseWith(
  server: PostgresServer,
  migrations?: URL,
  content?: Content,
): Promise<string | undefined> {
  const write: Content | undefined =
    content ?? (migrations && ((database) => bringTo(migrations, database)));
  if (write === undefined) return undefined;
  return kept(databases, content ?? migrations?.href, async () => {
    const template = content && (await databaseWith(server, migrations));
    const url = await server.createDatabase(template);
    const database = openPostgres(new Secret(url));
    await write(database).finally(() => database.close());
    return new URL(url).pathname.slice(1);
  });
}

function kept<K>(values: Map<K, Promise<string>>, key: K, make: () => Promise<string>) {
  const known = values.get(key) ?? sharedByFiles(make);
  values.set(key, known);
  return known;
}

function openPostgres(url: Secret): Database {
  return postgresDatabase({
    url,
    poolSize: 5,
    statementTimeoutMs: 300_000,
    applicationName: 'cls-test',
    onError: () => undefined,
  });
}
