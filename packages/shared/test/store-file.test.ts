import { describeOnEngines, pglite } from '@cls/testing/engines';
import { expect } from 'chai';
import type { Database } from '../src/sql/database.ts';
import { migrate } from '../src/sql/migrate.ts';
import { exportStore, importStore } from '../src/transfer/store-file.ts';

const SCHEMA = `
  CREATE TABLE parent (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
    above bigint REFERENCES parent, "odd name" text DEFAULT 'set');
  CREATE TABLE child (parent bigint NOT NULL REFERENCES parent, at timestamptz, day date,
    amount numeric, rate numeric(20,12), tags text[], facts jsonb, yes boolean, share double precision,
    bytes bytea, big bigint, twice bigint GENERATED ALWAYS AS (big * 2) STORED);
  CREATE TABLE seeded (one boolean PRIMARY KEY, number bigint);
  INSERT INTO seeded VALUES (true, 1);
  CREATE TABLE passing (id text);
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT ON child EXECUTE FUNCTION refuse();
  CREATE TRIGGER always BEFORE INSERT ON child EXECUTE FUNCTION refuse();
  ALTER TABLE child ENABLE ALWAYS TRIGGER always;
  CREATE TRIGGER off BEFORE INSERT ON parent EXECUTE FUNCTION refuse();
  ALTER TABLE parent DISABLE TRIGGER off;`;
const FILL = `
  INSERT INTO parent (name, above) SELECT 'p' || n, NULL FROM generate_series(1, 2500) n;
  UPDATE parent SET above = 2501 - id, "odd name" = 'a "b" ''c'' \\ ü' || chr(10) || id WHERE id % 3 = 0;
  DELETE FROM parent WHERE id = 1;
  ALTER TABLE child DISABLE TRIGGER USER;
  INSERT INTO child (parent, at, day, amount, rate, tags, facts, yes, share, bytes, big)
  SELECT id, CASE WHEN id % 5 = 0 THEN 'infinity' ELSE now() - id * interval '1.000001 day' END,
    '0044-03-15 BC'::date + id::int, CASE WHEN id % 7 = 0 THEN NULL ELSE id / 3.0 END,
    0.000000000001 * id, ARRAY['a,b', '{"', NULL, ''], jsonb_build_object('k', id, 's', E'\\u0001"'),
    id % 2 = 0, id / 7.0::float8, decode(md5(id::text), 'hex'), 9007199254740993 + id
  FROM parent;
  ALTER TABLE child ENABLE TRIGGER refuse; ALTER TABLE child ENABLE ALWAYS TRIGGER always;
  UPDATE seeded SET number = 7; INSERT INTO passing VALUES ('x');`;
const KIND = { service: 'test', leftOut: ['passing'], seeded: ['seeded'] };
const STATE = `
  SELECT (SELECT json_agg(p ORDER BY id)::text FROM parent p) AS parent,
    (SELECT json_agg(c ORDER BY parent)::text FROM child c) AS child,
    (SELECT json_agg(s)::text FROM seeded s) AS seeded, (SELECT count(*) FROM passing) AS passing,
    (SELECT string_agg(concat(tgname, tgenabled), ' ' ORDER BY tgname) FROM pg_trigger
      WHERE NOT tgisinternal) AS triggers,
    (SELECT string_agg(concat(conname, condeferrable), ' ' ORDER BY conname) FROM pg_constraint
      WHERE contype = 'f') AS keys`;

describeOnEngines('a store that is moved by a file', (engine) => {
  let source: Database;
  let target: Database;
  let lines: readonly string[];
  const schema = (sql = SCHEMA) => [{ number: 1, name: '0001-test.sql', sql, checksum: sql }];
  before(async () => {
    source = await pglite.open();
    await migrate(source, schema());
    await source.execute(FILL);
    const written: string[] = [];
    const write = async (text: string) => {
      written.push(text);
    };
    const { rows, tables } = await exportStore(source, KIND, write);
    expect({ rows, tables }).to.deep.equal({
      rows: 4_999,
      tables: { child: 2_499, parent: 2_499, seeded: 1 },
    });
    lines = written.join('').trimEnd().split('\n');
  });
  beforeEach(async () => {
    target = await engine.open();
    await migrate(target, schema());
  });
  afterEach(() => target?.close());
  after(() => source?.close());

  async function* given(some: readonly string[]) {
    yield* some;
  }
  const stateOf = async (database: Database) => (await database.query(STATE))[0];
  const refusal = async (some: readonly string[]) => {
    const before = await stateOf(target);
    const said = await importStore(target, KIND, given(some)).then(
      () => 'read',
      (error: Error) => error.message,
    );
    expect(await stateOf(target), 'nothing was written').to.deep.equal(before);
    return said;
  };

  it('has every value as it was, its triggers and keys as they were, and goes on counting', async () => {
    await importStore(target, KIND, given(lines));
    expect(await stateOf(target)).to.deep.equal({ ...(await stateOf(source)), passing: 0n });
    const [next] = await target.query(`INSERT INTO parent (name) VALUES ('n') RETURNING id`);
    expect(next).to.deep.equal({ id: 2501n });
    const orphan = await target
      .query('INSERT INTO parent (name, above) VALUES (NULL, 9999)')
      .catch(({ code }) => code);
    expect(orphan).to.equal('23502');
  });

  it('is refused, with nothing written, where the file was cut or changed', async () => {
    for (const end of [0, 1, 2, 1_500, lines.length - 1]) {
      expect(await refusal(lines.slice(0, end)), `${end}`).to.match(/cut|not written by/);
    }
    const middle = Math.floor(lines.length / 2);
    const changed = lines.map((line, n) => (n === middle ? line.replace(/\d/, '0') : line));
    expect(await refusal(changed)).to.match(/was changed|violates/);
    expect(await refusal(lines.filter((_, n) => n !== middle))).to.match(/was changed|violates/);
    expect(await refusal(lines.map((line) => line.slice(0, -1)))).to.include('not JSON');
  });

  it('is refused where a row refers to one that the file lacks', async () => {
    const forged = lines.map((line) => line.replace('"p3","2498"', '"p3","77777"'));
    expect(forged).to.not.deep.equal(lines);
    expect(await refusal(forged)).to.match(/was changed|foreign key/);
  });

  it('is refused into a store with rows, of a schema that changed, and from another service', async () => {
    await target.execute(`INSERT INTO parent (name) VALUES ('there')`);
    expect(await refusal(lines)).to.include('the table parent has rows');
    await target.execute('DELETE FROM parent');
    const other = await importStore(target, { ...KIND, service: 'x' }, given(lines)).catch(
      ({ message }) => message,
    );
    expect(other).to.include('not written by x export');
    const later = { number: 2, name: '0002-later.sql', sql: 'SELECT 1', checksum: 'x' };
    await migrate(target, [...schema(), later]);
    expect(await refusal(lines)).to.include('the store that of 0002-later.sql: bring both');
    const harmless = { ...KIND, harmless: [later.name] };
    expect((await importStore(target, harmless, given(lines))).rows).to.equal(4_999);
    await target.execute(`UPDATE schema_migration SET checksum = 'other' WHERE number = 1`);
    expect(await refusal(lines)).to.include('bring both to the same build');
  });
});
