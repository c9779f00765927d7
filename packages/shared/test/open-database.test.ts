import { describeOnEngines, type Engine, postgres, requireServer } from '@cls/testing/engines';
import { postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { silentLog } from '../src/log.ts';
import { type DatabaseLocation, openDatabase } from '../src/service/open-database.ts';

const migration = (sql: string) => ({ number: 1, name: '0001-test.sql', sql, checksum: sql });
const schema = (sql: string) => ({ migrations: [migration(sql)], grants: '' });
const open = async (engine: Engine, sql: string) =>
  openDatabase(await engine.createLocation(), 'cls-test-service', schema(sql), silentLog);

describeOnEngines('a service’s database', (engine) => {
  it('is migrated once it is open', async () => {
    const database = await open(engine, 'CREATE TABLE item AS SELECT 1 AS id');
    expect(await database.query('SELECT id FROM item')).to.deep.equal([{ id: 1 }]);
    await database.close();
  });

  it('is not opened when a migration fails, and can be by the build that mends it', async () => {
    const location = await engine.createLocation();
    const start = (sql: string) =>
      openDatabase(location, 'cls-test-service', schema(sql), silentLog);
    const refused = await start('SELECT 1 / 0').catch((error: unknown) => error);
    expect(refused).to.have.property('code', '22012');
    await (await start('SELECT 1')).close();
  });

  it('is refused with a sentence, unchanged, where it lacks a migration and is migrated elsewhere', async () => {
    const location = { ...(await engine.createLocation()), migratedElsewhere: true };
    const start = (at: DatabaseLocation) =>
      openDatabase(at, 'cls-test-service', schema('CREATE TABLE item ()'), silentLog);
    const refused = await start(location).catch((error: unknown) => error);
    expect(refused).to.have.property('name', 'MigrationError');
    expect(String(refused)).to.include(
      'the database lacks migration 0001-test.sql: run `migrate` of the service’s tool (`cls-auth`, `cls-api` or `cls-explorer`) as the role that owns the schema',
    );
    await (await start({ ...location, migratedElsewhere: false })).close();
    await (await start(location)).close();
  });
});

describe('a service’s PostgreSQL', () => {
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });

  it('has 30 minutes for a statement of a migration, and 10 seconds for one of the service', async () => {
    const setting = `SELECT current_setting('statement_timeout') AS timeout`;
    const hurried = {
      ...postgres,
      async createLocation() {
        const { statementTimeoutMs: _, ...location } = await postgres.createLocation();
        return location;
      },
    };
    const database = await open(hurried, `CREATE TABLE migrated AS ${setting}`);
    expect(await database.query('SELECT timeout FROM migrated')).to.deep.equal([
      { timeout: '30min' },
    ]);
    expect(await database.query(setting)).to.deep.equal([{ timeout: '10s' }]);
    await database.close();
  });
});
