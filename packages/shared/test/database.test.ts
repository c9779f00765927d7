import { describeOnEngines } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  type Database,
  DatabaseUnavailable,
  Overloaded,
  SqlError,
  type SqlValue,
} from '../src/sql/database.ts';

describeOnEngines('the database port', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open();
    await database.execute('CREATE TABLE item (id int PRIMARY KEY, amount bigint NOT NULL)');
  });
  after(() => database?.close());

  it('gives the same values on every engine', async () => {
    const [row] = await database.query(
      `SELECT 1::int AS small, 9007199254740993::bigint AS big, 1.10::numeric AS exact,
              '2025-03-31'::date AS day, '2025-03-31T10:00:00Z'::timestamptz AS instant,
              '{"a":[1]}'::jsonb AS document, ARRAY['x','y'] AS words, NULL AS nothing,
              $1::bigint[] AS numbers, $2::text AS word, true AS yes`,
      [[1n, 2n], "it's"],
    );
    expect(row).to.deep.equal({
      small: 1,
      big: 9007199254740993n,
      exact: '1.10',
      day: '2025-03-31',
      instant: '2025-03-31 10:00:00+00',
      document: { a: [1] },
      words: ['x', 'y'],
      nothing: null,
      numbers: [1n, 2n],
      word: "it's",
      yes: true,
    });
  });

  it('takes arrays of any values', async () => {
    const words = ['plain', '', 'NULL', 'a "quote"', 'a \\ b', '{x,y}', 'two\nlines', 'é', null];
    const [row] = await database.query(
      `SELECT $1::text[] AS words, $2::bigint[] AS numbers, $3::boolean[] AS flags,
         $4::date[]::text[] AS days, $5::numeric[]::text[] AS fractions, $6::text[] AS none, 'b' = ANY($7) AS found`,
      [words, [-1n, null, 2n ** 62n], [true, false], ['2025-03-31'], ['0.10'], [], ['a', 'b']],
    );
    expect(row).to.deep.equal({
      words,
      numbers: [-1n, null, 2n ** 62n],
      flags: [true, false],
      days: ['2025-03-31'],
      fractions: ['0.10'],
      none: [],
      found: true,
    });
  });

  it('commits what a transaction did', async () => {
    await database.transaction(async (transaction) => {
      await transaction.query('INSERT INTO item VALUES ($1, $2)', [1, 10n]);
    });
    expect(await database.query('SELECT amount FROM item WHERE id = 1')).to.deep.equal([
      { amount: 10n },
    ]);
  });

  it('rolls back a transaction whose work throws, and goes on working', async () => {
    const refused = await database
      .transaction(async (transaction) => {
        await transaction.query('INSERT INTO item VALUES (2, 20)');
        throw new Error('changed my mind');
      })
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('message', 'changed my mind');
    expect(await database.query('SELECT 1 FROM item WHERE id = 2')).to.deep.equal([]);
  });

  it('names the SQLSTATE and the constraint of a refused statement', async () => {
    await database.query('INSERT INTO item VALUES (3, 30)');
    const refused = await database
      .query('INSERT INTO item VALUES (3, 31)')
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SqlError);
    expect(refused).to.include({ code: '23505', constraint: 'item_pkey' });
  });

  it('refuses to write in a read-only transaction, as on a read-only database', async () => {
    const refused = await database
      .transaction((transaction) => transaction.query('INSERT INTO item VALUES (4, 40)'), {
        readOnly: true,
        isolation: 'repeatable read',
      })
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DatabaseUnavailable);
    expect((refused as Error).message).to.include('read-only');
    expect(await database.query('SELECT 1 FROM item WHERE id = 4')).to.deep.equal([]);
  });

  it('tells of a read-only transaction that could not begin, and goes on working', async () => {
    const setups = [
      'SET LOCAL ROLE nobody_of_this_name;',
      'SET LOCAL no_such.setting = 1, 2;',
      'x;',
    ];
    for (const setup of setups) {
      const outcome = await database
        .transaction((transaction) => transaction.query('SELECT 1 AS one'), {
          readOnly: true,
          setup,
        })
        .catch((error: unknown) => error);
      expect(outcome, setup).to.be.instanceOf(SqlError);
      // 25P02 says that a transaction has failed already, and hides why.
      expect((outcome as SqlError).code, setup).not.to.equal('25P02');
    }
    const reads = Array.from({ length: 20 }, (_, n) =>
      database.transaction((transaction) => transaction.query('SELECT $1::int AS n', [n]), {
        readOnly: true,
      }),
    );
    expect((await Promise.all(reads)).flat()).to.deep.equal(reads.map((_, n) => ({ n })));
  });

  it('keeps nothing of a read-only transaction in the session', async () => {
    const limit = () => database.query(`SELECT current_setting('lock_timeout') AS "limit"`);
    const before = await limit();
    const setup = 'SET LOCAL lock_timeout = 1234;';
    for (let n = 0; n < 10; n += 1) {
      const inside = await database.transaction(
        (transaction) => transaction.query(`SELECT current_setting('lock_timeout') AS "limit"`),
        { readOnly: true, setup },
      );
      expect(inside).to.deep.equal([{ limit: '1234ms' }]);
      expect(await limit()).to.deep.equal(before);
    }
  });

  it('delivers notices to listeners until they stop', async () => {
    const heard: string[] = [];
    const stop = await database.listen(
      'news',
      (payload) => heard.push(payload),
      () => undefined,
    );
    await database.query(`SELECT pg_notify('news', 'first')`);
    await eventually(async () => expect(heard).to.deep.equal(['first']));
    await stop();
    await database.query(`SELECT pg_notify('news', 'second')`);
    expect(heard).to.deep.equal(['first']);
  });

  it('runs twenty transactions at once without losing an update', async () => {
    await database.query('INSERT INTO item VALUES (5, 0)');
    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction(async (transaction) => {
          await transaction.query('UPDATE item SET amount = amount + 1 WHERE id = 5');
        }),
      ),
    );
    expect(await database.query('SELECT amount FROM item WHERE id = 5')).to.deep.equal([
      { amount: 20n },
    ]);
  });

  describe('planning a text once', () => {
    const ask = <Row>(sql: string, params: readonly SqlValue[] = []) =>
      database.transaction((transaction) => transaction.query<Row>(sql, params), {
        readOnly: true,
        prepared: true,
      });

    it('takes parameters of every kind as they are', async () => {
      const words = ["it's", 'a "quoted" word', 'back\\slash, {brace}', ''];
      const sql = `SELECT $1::text AS word, $2::bigint AS big, $3::date AS day, $4::text[] AS words,
        $5::bigint[] AS numbers, $6::text AS nothing, $7::boolean AS yes`;
      for (const word of words) {
        const params = [word, 9007199254740993n, '2025-03-31', words, [1n, -2n], null, true];
        expect(await ask(sql, params)).to.deep.equal([
          {
            word,
            big: 9007199254740993n,
            day: '2025-03-31',
            words,
            numbers: [1n, -2n],
            nothing: null,
            yes: true,
          },
        ]);
      }
    });

    it('answers as often as asked, for more texts than a session keeps', async () => {
      for (let round = 0; round < 2; round += 1) {
        for (let n = 0; n < 60; n += 1) {
          const sql = `SELECT $1::int + ${n} AS sum`;
          expect(await ask(sql, [round])).to.deep.equal([{ sum: round + n }]);
        }
      }
    });

    it('runs statements in the order in which they were given, also more texts than a session keeps', async () => {
      const numbers = Array.from({ length: 130 }, (_, n) => n % 65);
      const rows = await database.transaction(
        (transaction) =>
          Promise.all(
            numbers.map((n) =>
              transaction.query(
                `SELECT set_config('test.steps', $1, true) AS now,
                   coalesce(current_setting('test.steps', true), '') <> $1 AS changes, ${n} AS text`,
                [`${n}`],
              ),
            ),
          ),
        { readOnly: true, prepared: true },
      );
      expect(rows.flat().map(({ now }) => now)).to.deep.equal(numbers.map(String));
      const last = await ask(`SELECT current_setting('test.steps', true) AS left`, []);
      expect(last).to.deep.equal([{ left: '' }]);
    });

    it('answers what was given before the end that went ahead, and begins the next anew', async () => {
      const one = (sql: string) =>
        database.transaction(
          (transaction) => {
            const set = transaction.query("SELECT set_config('test.ahead', 'set', true)");
            const rows = transaction.query(sql);
            transaction.endAhead?.();
            return Promise.all([set, rows]);
          },
          { readOnly: true, prepared: true },
        );
      const left = "SELECT coalesce(current_setting('test.ahead', true), '') AS left";
      for (let round = 0; round < 3; round += 1) {
        expect((await one(left))[1]).to.deep.equal([{ left: 'set' }]);
        const refused = await one('SELECT 1 / (random() * 0)::int').catch((error) => error);
        expect(refused).to.be.instanceOf(SqlError);
        expect(await ask(left, [])).to.deep.equal([{ left: '' }]);
      }
    });

    it('names the fault of a text that cannot be planned, each time', async () => {
      for (const _ of [1, 2]) {
        const refused = await ask('SELECT lost FROM item').catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(SqlError).with.property('code', '42703');
      }
      expect(await ask('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    it('answers a statement by itself too, also after one that cannot be planned', async () => {
      const alone = (sql: string, params: readonly SqlValue[] = []) =>
        database.query(sql, params, { prepared: true });
      for (const number of [1, 2]) {
        const refused = await alone('SELECT lost FROM item').catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(SqlError).with.property('code', '42703');
        expect(await alone('SELECT $1::int AS one', [number])).to.deep.equal([{ one: number }]);
        expect(await alone('SELECT id FROM item WHERE id = $1', [78])).to.deep.equal([]);
      }
    });

    it('shows what was committed since, also after the table was changed', async () => {
      const sql = 'SELECT id FROM item WHERE id = $1';
      expect(await ask(sql, [77])).to.deep.equal([]);
      await database.query('INSERT INTO item VALUES (77, 1)');
      expect(await ask(sql, [77])).to.deep.equal([{ id: 77 }]);
      await database.execute('ALTER TABLE item ADD COLUMN note text');
      expect(await ask(sql, [77])).to.deep.equal([{ id: 77 }]);
    });

    it('follows the settings that a policy asks for', async () => {
      await database.execute(`
        CREATE TABLE secret (owner text NOT NULL);
        INSERT INTO secret VALUES ('ann'), ('bob');
        ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
        ALTER TABLE secret FORCE ROW LEVEL SECURITY;
        CREATE POLICY own ON secret USING (owner = current_setting('test.reader', true))`);
      // The embedded database's one user is a superuser, to whom no policy applies.
      const embedded = engine.name === 'PGlite';
      if (embedded) await database.execute('CREATE ROLE one; GRANT SELECT ON secret TO one');
      for (const reader of ['ann', 'bob', 'ann']) {
        const rows = await database.transaction(
          (transaction) => transaction.query('SELECT owner FROM secret'),
          {
            readOnly: true,
            prepared: true,
            setup: `${embedded ? 'SET LOCAL ROLE one;' : ''}SET LOCAL test.reader = '${reader}';`,
          },
        );
        expect(rows).to.deep.equal([{ owner: reader }]);
      }
    });
  });
});

describeOnEngines('a database that more wait for than it can answer soon', (engine) => {
  it('refuses what comes then at once, ends what is under way, and takes more afterwards', async () => {
    const database = await engine.open();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const outcome = (work: Promise<unknown>) =>
      work.then(
        () => 'answered',
        (error: unknown) => (error instanceof Overloaded ? 'refused' : String(error)),
      );
    const held = Array.from({ length: 5 }, () => outcome(database.transaction(() => ended)));
    const asked = Array.from({ length: 300 }, () => outcome(database.query('SELECT 1')));
    // While those in front are held, the last one has its refusal.
    expect(await asked.at(-1)).to.equal('refused');
    end();
    const outcomes = await Promise.all([...held, ...asked]);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).to.be.at.least(200);
    expect(new Set(outcomes)).to.deep.equal(new Set(['answered', 'refused']));
    expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await database.close();
  });
});
