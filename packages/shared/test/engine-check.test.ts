import { silentLog } from '@cls/shared/log';
import { requireServer } from '@cls/testing/engines';
import { postgresServer, startPgbouncer } from '@cls/testing/servers';
import { expect } from 'chai';
import { checkDatabase } from '../src/check/check-database.ts';
import { Secret } from '../src/secret.ts';
import {
  type DatabaseLocation,
  openDatabase,
  openDatabaseAsOwner,
} from '../src/service/open-database.ts';
import { MigrationError } from '../src/sql/migrate.ts';
import { postgresDatabase } from '../src/sql/postgres.ts';

const SCHEMA = { migrations: [], grants: '' };

describe('a service that starts on PostgreSQL', () => {
  let url: string;
  beforeEach(async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    url = await server.createDatabase();
  });
  const start = async (to = url, poolSize = 1) => {
    const location: DatabaseLocation = { kind: 'postgres', url: new Secret(to), poolSize };
    await (await openDatabase(location, 'test', SCHEMA, silentLog)).close();
  };
  /** What `check` finds about the engine. */
  const checked = async () => {
    const config = {
      ...{ database: { kind: 'postgres', url: new Secret(url), poolSize: 1 } as const },
      ...{ redisUrl: undefined, production: false, clockToleranceS: 30 },
    };
    const migrations = new URL('./support/', import.meta.url);
    const sessions = { beside: true, listeners: 0 };
    const found = await checkDatabase({ config, tool: 'cls-test', migrations, sessions });
    const version = found.find(({ check }) => check === 'version');
    return `${version?.result}: ${version?.found}: ${version?.todo}`;
  };
  const refusal = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  /** Functions of the same name, found before the server's own, as another engine has them. */
  const replace = async (functions: string) => {
    const admin = postgresDatabase({
      ...{ url: new Secret(url), poolSize: 1, statementTimeoutMs: 60_000 },
      ...{ applicationName: 'test', onError: () => undefined },
    });
    const name = new URL(url).pathname.slice(1);
    await admin.execute(`CREATE SCHEMA other; ${functions};
      ALTER DATABASE ${name} SET search_path = other, pg_catalog, public`);
    await admin.close();
  };

  it('starts, also with one connection, and behind a pooler that has one', async () => {
    await start();
    const pooler = await startPgbouncer(url, ['pool_mode = transaction', 'default_pool_size = 1']);
    if (pooler === undefined) return;
    await start(pooler.url).finally(() => pooler.process.kill('SIGKILL'));
  });

  it('refuses an engine whose advisory locks hold nobody up', async () => {
    await replace(`CREATE FUNCTION other.pg_try_advisory_xact_lock(bigint) RETURNS boolean
      LANGUAGE sql AS 'SELECT true'`);
    const error = await refusal(start());
    expect(error).to.be.instanceOf(MigrationError);
    expect(`${error}`).to.include('gave one advisory lock to two sessions');
    expect(await checked()).to.equal(`failed: ${(error as Error).message}`);
    const location: DatabaseLocation = { kind: 'postgres', url: new Secret(url), poolSize: 1 };
    const migrating = openDatabaseAsOwner(location, 'test', silentLog, true);
    expect(`${await refusal(migrating.then((database) => database.close()))}`).to.equal(`${error}`);
  });

  for (const [version, words] of [
    ['CockroachDB CCL v24.3.0', 'is CockroachDB'],
    ['PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64', 'is YugabyteDB'],
    ['PostgreSQL 8.0.2 on i686, Redshift 1.0', 'is Redshift'],
  ] as const) {
    it(`refuses what calls itself ${version}`, async () => {
      await replace(`CREATE FUNCTION other.version() RETURNS text
        LANGUAGE sql AS $$ SELECT '${version}' $$`);
      const error = await refusal(start());
      expect(`${error}`).to.include(words);
      expect(await checked()).to.equal(`failed: ${(error as Error).message}`);
    });
  }

  it('refuses a PostgreSQL that is too old', async () => {
    await replace(`CREATE FUNCTION other.current_setting(text) RETURNS text
      LANGUAGE sql AS $$ SELECT '140012' $$`);
    expect(`${await refusal(start())}`).to.include('is PostgreSQL 14: use 15 or newer');
    expect(await checked()).to.equal('failed: the database is PostgreSQL 14: use 15 or newer');
  });
});
