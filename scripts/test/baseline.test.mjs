// The baseline of each service against the migrations that it stands for, which release 0.5.0 applied.
import { expect } from 'chai';
import { schemaObjects } from '../../packages/resource-api/dist/src/database/schema-objects.js';
import {
  migrate,
  migrationStatus,
  readMigrations,
} from '../../packages/shared/dist/src/sql/migrate.js';
import { describeOnEngines } from '../../packages/testing/dist/src/engines.js';

/** What the catalogue has besides objects: the order of columns, rights, and rows that a store begins with. */
const BESIDES = `
  SELECT 'columns' AS kind, c.relname AS name, string_agg(a.attname, ' ' ORDER BY a.attnum) AS definition
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') GROUP BY c.relname
  UNION ALL
  SELECT 'rights', relname, relacl::text FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
  UNION ALL
  SELECT 'rights of a function', oid::regprocedure::text, proacl::text FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'partition', c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_class c WHERE c.relispartition
  UNION ALL
  SELECT 'index of a partition', indexname, indexdef FROM pg_indexes i
  JOIN pg_class c ON c.relname = i.tablename AND c.relispartition
  ORDER BY 1, 2`;
const ROWS = {
  'resource-api': 'SELECT one, generation, changed_at::text, names_from FROM book_state',
  'auth-server': 'SELECT count(*)::int AS n FROM audit_event',
};

for (const service of ['resource-api', 'auth-server']) {
  const folder = (path) => new URL(`../../packages/${service}/${path}/`, import.meta.url);
  const old = readMigrations(folder('test/migrations-of-0.5.0'));
  const build = readMigrations(folder('migrations'));
  const later = build.slice(1).map(({ name }) => name);

  describeOnEngines(`the baseline of ${service}`, (engine) => {
    const databases = [];
    const open = async () => {
      const database = await engine.open();
      databases.push(database);
      return database;
    };
    const contentOf = async (database) => ({
      objects: await schemaObjects(database),
      besides: await database.query(BESIDES),
      rows: await database.query(ROWS[service]),
      history: await database.query(
        'SELECT number, name, checksum FROM schema_migration ORDER BY number',
      ),
    });
    afterEach(async () => {
      for (const database of databases.splice(0)) await database.close();
    });

    it('makes what its migrations made, object by object', async () => {
      const [migrated, fresh] = [await open(), await open()];
      await migrate(migrated, old);
      await migrate(migrated, build);
      await migrate(fresh, build);
      const [expected, made] = [await contentOf(migrated), await contentOf(fresh)];
      expect(made.objects.length).to.be.greaterThan(250);
      for (const part of Object.keys(expected))
        expect(made[part], part).to.deep.equal(expected[part]);
    });

    it('goes on from a store of 0.5.0, and sends an older one to 0.5.0 first', async () => {
      const database = await open();
      await migrate(database, old.slice(0, -1));
      for (const ask of [migrationStatus, migrate]) {
        const refused = await ask(database, build).catch(({ message }) => message);
        expect(refused).to.equal(
          `the database has migrations up to ${old.at(-2).name}, and this build begins after ${old.at(-1).name}: start the release before this one on it once, which applies what lies between, and then this one`,
        );
      }
      await migrate(database, old);
      expect((await migrationStatus(database, build)).pending).to.deep.equal(later);
      expect((await migrate(database, build)).applied).to.deep.equal(later);
    });

    it('leaves nothing where it is cut off', async () => {
      const database = await open();
      const [baseline] = build;
      const broken = { ...baseline, sql: `${baseline.sql}; SELECT 1 / 0;` };
      const failure = await migrate(database, [broken]).catch(({ message }) => message);
      expect(failure).to.include('division by zero');
      expect(await schemaObjects(database)).to.deep.equal([]);
      expect((await migrate(database, build)).applied).to.deep.equal([baseline.name, ...later]);
    });
  });
}
