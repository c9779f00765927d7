import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  describeOnDatabase,
  describeOnEngines,
  postgres,
  requireServer,
} from '@cls/testing/engines';
import { eventually, postgresServer, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { silentLog } from '../src/log.ts';
import { Secret } from '../src/secret.ts';
import {
  type DatabaseLocation,
  openDatabase,
  openDatabaseAsOperator,
} from '../src/service/open-database.ts';
import { appliedMigrations, migrate, readSchema, type Schema } from '../src/sql/migrate.ts';

/** A build with as many migrations; each makes a table. @param released as `released.json`. */
function build(count: number, released: Readonly<Record<string, number>>): Schema {
  const folder = temporaryDirectory('cls-build-');
  const migrations = join(folder, 'migrations');
  mkdirSync(migrations);
  for (let n = 1; n <= count; n += 1) {
    writeFileSync(join(migrations, `000${n}-table.sql`), `CREATE TABLE t${n} ()`);
  }
  writeFileSync(join(folder, 'grants.sql'), '');
  writeFileSync(join(folder, 'released.json'), JSON.stringify(released));
  const schema = readSchema(pathToFileURL(`${migrations}/`));
  rmSync(folder, { recursive: true });
  return schema;
}

/** The releases of a product, each with the build that knows nothing of later ones. */
const RELEASES = {
  one: build(2, {}),
  two: build(4, { one: 2 }),
  // A release without a migration.
  three: build(4, { one: 2, two: 4 }),
  four: build(5, { one: 2, two: 4, three: 4 }),
  five: build(6, { one: 2, two: 4, three: 4, four: 5 }),
};

const start = async (location: DatabaseLocation, schema: Schema) => {
  const database = await openDatabase(location, 'cls-test', schema, silentLog);
  try {
    return (await appliedMigrations(database)).map(({ number }) => number);
  } finally {
    await database.close();
  }
};
const refusal = (location: DatabaseLocation, schema: Schema) =>
  start(location, schema).then(
    () => 'started',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describeOnEngines('a database that builds of several releases use', (engine) => {
  it('starts the build before on the schema of the newest release, and the newest again', async () => {
    const location = await engine.createLocation();
    expect(await start(location, RELEASES.one)).to.deep.equal([1, 2]);
    expect(await start(location, RELEASES.two)).to.deep.equal([1, 2, 3, 4]);
    expect(await start(location, RELEASES.one)).to.deep.equal([1, 2, 3, 4]);
    const elsewhere = { ...location, migratedElsewhere: true };
    expect(await start(elsewhere, RELEASES.one)).to.deep.equal([1, 2, 3, 4]);
    expect(await start(elsewhere, RELEASES.three)).to.deep.equal([1, 2, 3, 4]);
  });

  it('is refused, known release or not, where an applied migration has another text', async () => {
    const location = await engine.createLocation();
    await start(location, RELEASES.two);
    const changed = RELEASES.two.migrations.map((one) => ({ ...one, checksum: `${one.number}` }));
    expect(await refusal(location, { ...RELEASES.two, migrations: changed })).to.include(
      '0001-table.sql differs from the text that was applied',
    );
  });
});

describeOnDatabase('a database that went through several releases', (engine) => {
  it('refuses a build that is two releases older, and says what to do', async () => {
    const location = await engine.createLocation();
    await start(location, RELEASES.four);
    const said = await refusal(location, RELEASES.one);
    expect(said).to.equal(
      'MigrationError: the database has 0003-table.sql, which this build does not know: the database is more than one release newer than this build, so start a newer build',
    );
    expect(await start(location, RELEASES.three)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('is the same for a new database and for one that went through every release', async () => {
    const rows = async (location: DatabaseLocation, schema: Schema) => {
      const database = await openDatabase(location, 'cls-test', schema, silentLog);
      return appliedMigrations(database).finally(() => database.close());
    };
    const fresh = await rows(await engine.createLocation(), RELEASES.five);
    const old = await engine.createLocation();
    for (const schema of Object.values(RELEASES)) await start(old, schema);
    expect(await rows(old, RELEASES.five)).to.deep.equal(fresh);
    expect(fresh.filter(({ newest }) => newest).map(({ number }) => number)).to.deep.equal([6]);
    expect(await refusal(old, RELEASES.three)).to.include('0005-table.sql');
    expect(await start(old, RELEASES.four)).to.have.length(6);
  });
});

const openAt = (url: string) =>
  openDatabaseAsOperator(
    { kind: 'postgres', url: new Secret(url), poolSize: 3 },
    'cls-test',
    silentLog,
  );

describe('a migration that needs a table which somebody reads for long', () => {
  const one = (number: number, sql: string) => ({
    number,
    name: `${number}`,
    sql,
    checksum: sql,
  });
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });

  it('makes no other reader wait for the end of it, and is applied afterwards', async () => {
    const database = await postgres.open();
    const first = one(1, 'CREATE TABLE item ()');
    await migrate(database, [first]);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reading = database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM item');
      await released;
    });
    const second = one(2, 'ALTER TABLE item ADD COLUMN name text');
    const migrated = migrate(database, [first, second]);
    await eventually(async () => {
      const waiting = await database.query(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      if (waiting.length === 0) throw new Error('the migration does not wait yet');
    });
    // It would wait behind the migration, which waits for the reader, which waits for this test.
    await database.query('SELECT FROM item');
    release();
    await reading;
    expect(await migrated).to.deep.equal({ applied: ['2'], pending: [] });
    expect(await database.query('SELECT name FROM item')).to.deep.equal([]);
    await database.close();
  });

  it('is applied after a deadlock with a reader, which notices nothing', async () => {
    const server = await postgresServer();
    const url = new URL((await server?.createDatabase()) ?? '');
    // Shorter than a migration waits for a lock, so that PostgreSQL finds the deadlock first.
    const admin = await openAt(server?.adminUrl() ?? '');
    await admin.execute(`ALTER DATABASE ${url.pathname.slice(1)} SET deadlock_timeout = '100ms'`);
    await admin.close();
    const database = await openAt(url.href);
    const first = one(1, 'CREATE TABLE a (); CREATE TABLE b ()');
    await migrate(database, [first]);
    let migrated: Promise<unknown> = Promise.resolve();
    const reading = database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM b');
      const change = 'ALTER TABLE a ADD x int; SELECT pg_sleep(1); ALTER TABLE b ADD x int';
      migrated = migrate(database, [first, one(2, change)]);
      await eventually(async () => {
        const held = await database.query(`SELECT FROM pg_locks
          WHERE relation = 'a'::regclass AND mode = 'AccessExclusiveLock' AND granted`);
        if (held.length === 0) throw new Error('the migration does not hold its first table yet');
      });
      // Looked at for a deadlock before there is one; then the migration waits for the other table.
      return transaction.query('SELECT FROM a');
    });
    expect(await reading).to.deep.equal([]);
    expect(await migrated).to.deep.equal({ applied: ['2'], pending: [] });
    await database.close();
  });
});
