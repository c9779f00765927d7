import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnEngines } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
} from '../src/embedded/embedded-database.ts';
import { Abandoned, type Database, DatabaseUnavailable } from '../src/sql/database.ts';

/** Computes for days, on either engine. */
const ENDLESS = `SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b`;

/** Begins a read that never ends by itself; resolves when its statement is on its way. */
async function endless(database: Database, signal?: AbortSignal) {
  let begun: () => void = () => undefined;
  const underWay = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const outcome = database
    .transaction(
      async (transaction) => {
        const running = transaction.query(ENDLESS);
        begun();
        await running;
      },
      { readOnly: true, signal },
    )
    .catch((error: unknown) => error);
  await underWay;
  return { outcome };
}

describeOnEngines('a read that nobody waits for any more', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open();
    await database.execute('CREATE TABLE item (id int PRIMARY KEY)');
  });
  after(() => database?.close());

  it('is ended, and what was committed is there', async () => {
    await database.query('INSERT INTO item VALUES (1)');
    const client = new AbortController();
    const { outcome } = await endless(database, client.signal);
    client.abort();
    expect(await outcome).to.be.instanceOf(Abandoned);
    await database.query('INSERT INTO item VALUES (2)');
    const rows = await database.query('SELECT id FROM item WHERE id < 3 ORDER BY id');
    expect(rows).to.deep.equal([{ id: 1 }, { id: 2 }]);
  });

  if (engine.name === 'PostgreSQL') {
    it('is cancelled on the server', async () => {
      const client = new AbortController();
      const running = `SELECT 1 FROM pg_stat_activity
        WHERE query LIKE 'SELECT count(*) FROM generate%' AND state = 'active'`;
      const { outcome } = await endless(database, client.signal);
      await eventually(async () => {
        if ((await database.query(running)).length !== 1) throw new Error('not begun');
      });
      client.abort();
      await outcome;
      await eventually(async () => {
        if ((await database.query(running)).length !== 0) throw new Error('still running');
      });
    });

    it('is ended where the cancellation met no statement, or one before the last', async () => {
      const swallowing = `DO $$ BEGIN PERFORM pg_sleep(20);
        EXCEPTION WHEN query_canceled THEN PERFORM set_config('test.cancelled', 'yes', true); END $$`;
      const client = new AbortController();
      const outcome = database
        .transaction(
          async (transaction) => {
            const statements = [transaction.execute(swallowing), transaction.query(ENDLESS)];
            setTimeout(() => client.abort(), 200);
            await Promise.all(statements);
          },
          { readOnly: true, signal: client.signal },
        )
        .catch((error: unknown) => error);
      expect(await outcome).to.be.instanceOf(Abandoned);

      const late = new AbortController();
      const begunAfter = database
        .transaction(
          async (transaction) => {
            late.abort();
            await sleep(200);
            await transaction.query(ENDLESS);
          },
          { readOnly: true, signal: late.signal },
        )
        .catch((error: unknown) => error);
      expect(await begunAfter).to.be.instanceOf(Abandoned);
    });
  }

  it('never begins when it was abandoned before', async () => {
    const client = new AbortController();
    client.abort();
    let begun = false;
    const outcome = await database
      .transaction(
        async () => {
          begun = true;
        },
        { readOnly: true, signal: client.signal },
      )
      .catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Abandoned);
    expect(begun).to.equal(false);
  });

  it('goes on when another one is abandoned', async () => {
    const client = new AbortController();
    const { outcome } = await endless(database, client.signal);
    const other = database.transaction((inside) => inside.query('SELECT 7 AS n'), {
      readOnly: true,
    });
    const write = database.query('INSERT INTO item VALUES (70)');
    client.abort();
    expect(await other).to.deep.equal([{ n: 7 }]);
    await write;
    expect(await outcome).to.be.instanceOf(Abandoned);
  });
});

describe('an embedded database with a statement limit', () => {
  let database: Database;
  before(async () => {
    const directory = join(temporaryDirectory('cls-limit-'), 'database');
    await makeStore(directory);
    database = await openEmbeddedDatabase(directory, { statementTimeoutMs: 200 });
    await database.execute('CREATE TABLE item (id int PRIMARY KEY)');
  });
  after(() => database.close());

  it('ends a read that takes longer, and answers the next', async () => {
    const { outcome } = await endless(database);
    const error = await outcome;
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect(String(error)).to.include('longer than 0.2 s');
    expect(await database.query('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('hears notices again afterwards, and tells of the gap', async () => {
    const heard: string[] = [];
    const gaps: string[] = [];
    await database.listen(
      'news',
      (payload) => heard.push(payload),
      (state) => gaps.push(state),
    );
    await (await endless(database)).outcome;
    await database.query(`SELECT pg_notify('news', 'one')`);
    await eventually(async () => expect(heard).to.deep.equal(['one']));
    expect(gaps).to.deep.equal(['lost', 'resumed']);
  });

  it('never ends a write', async () => {
    await database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO item SELECT i FROM generate_series(1, 1000) i
         WHERE (SELECT count(*) FROM generate_series(1, 2000000)) > i`,
      );
    });
    const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM item');
    expect(row?.n).to.equal(1_000);
  });
});

describe('an operator’s command on an embedded database that a service holds', () => {
  let directory: string;
  let service: Database;
  let operator: Database;
  before(async () => {
    directory = join(temporaryDirectory('cls-operator-'), 'database');
    await makeStore(directory);
    service = await openEmbeddedDatabase(directory, { statementTimeoutMs: 200, patienceMs: 200 });
    operator = await openEmbeddedDatabaseAsOperator(directory);
  });
  after(async () => {
    await operator?.close();
    await service?.close();
  });

  it('reads for as long as it takes, beyond the limit of the service’s statements', async () => {
    const rows = await operator.transaction(
      (transaction) => transaction.query('SELECT pg_sleep(1)::text AS slept'),
      { readOnly: true },
    );
    expect(rows).to.deep.equal([{ slept: '' }]);
  });

  it('turns callers away when they would have to wait for long, until it is done', async () => {
    let refused: unknown;
    await operator.transaction(async (transaction) => {
      await transaction.query('SELECT 1');
      refused = await service.query('SELECT 1').catch((error: unknown) => error);
      // Who comes now is refused as well.
      const next = await service.query('SELECT 1').catch((error: unknown) => error);
      expect(next).to.be.instanceOf(DatabaseUnavailable);
    });
    expect(refused).to.be.instanceOf(DatabaseUnavailable);
    expect(String(refused)).to.include('operator');
    expect(await service.query('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('ends its read when the tool is gone', async () => {
    const tool = await openEmbeddedDatabaseAsOperator(directory);
    const { outcome } = await endless(tool);
    await tool.close();
    expect(await outcome).to.be.instanceOf(DatabaseUnavailable);
    expect(await operator.query('SELECT 2 AS n')).to.deep.equal([{ n: 2 }]);
  });
});
