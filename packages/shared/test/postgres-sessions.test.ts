import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireServer } from '@cls/testing/engines';
import { type FaultProxy, faultProxy } from '@cls/testing/fault-proxy';
import { startPostgresInstance } from '@cls/testing/postgres-instance';
import {
  eventually,
  freePort,
  type PostgresServer,
  postgresServer,
  startPgbouncer,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import { besideRequests, type Database, DatabaseUnavailable } from '../src/sql/database.ts';
import {
  type PostgresOptions,
  postgresDatabase,
  postgresForRequests,
  sessionsMax,
} from '../src/sql/postgres.ts';
import { postgresHosts } from '../src/sql/postgres-hosts.ts';

const STATEMENT_TIMEOUT_MS = 20_000;

describe('sessions of PostgreSQL', () => {
  let server: PostgresServer;
  let url: URL;
  const opened: Database[] = [];
  const bouncers: ChildProcess[] = [];
  let notices: string[] = [];
  before(async function () {
    const found = await postgresServer();
    requireServer(this, 'PostgreSQL', found);
    server = found;
    url = new URL(await server.createDatabase());
  });
  beforeEach(() => {
    notices = [];
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
    for (const child of bouncers.splice(0)) child.kill('SIGKILL');
  });

  const open = (to: string, more: Partial<PostgresOptions> = {}): Database => {
    const database = postgresDatabase({
      url: new Secret(to),
      poolSize: 4,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'cls-test',
      onError: () => undefined,
      onNoNotices: () => notices.push('none'),
      ...more,
    });
    opened.push(database);
    return database;
  };
  const settings = `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS dates,
    current_setting('jit') AS jit,
    (SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout') AS timeout`;
  const expected = { zone: 'UTC', dates: 'ISO, MDY', jit: 'off', timeout: STATEMENT_TIMEOUT_MS };

  it('have their settings from the start', async () => {
    expect(await open(url.href).query(settings)).to.deep.equal([expected]);
  });

  it('are as many as sessionsMax says, where all are in use', async () => {
    for (const use of [
      { beside: false, listeners: 0 },
      { beside: true, listeners: 2 },
    ]) {
      const applicationName = `cls-count-${use.listeners}`;
      const database = postgresForRequests({
        ...{ url: new Secret(url.href), poolSize: 3, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
        ...{ applicationName, failFast: true, onError: () => undefined },
      });
      opened.push(database);
      for (let n = 0; n < use.listeners; n += 1) {
        await database.listen(
          'cls_count',
          () => undefined,
          () => undefined,
        );
      }
      await Promise.all([
        ...Array.from({ length: 9 }, () => database.query('SELECT 1')),
        use.beside ? besideRequests(database).query('SELECT 1') : undefined,
      ]);
      const most = sessionsMax(3, use);
      await eventually(async () => {
        const rows = await open(url.href).query(
          `SELECT pid FROM pg_stat_activity WHERE application_name = '${applicationName}'`,
        );
        expect(rows).to.have.length(most);
      });
    }
  });

  it('are unavailable while the server fails to open them (XX000), and open afterwards', async () => {
    const directory = temporaryDirectory('cls-failing-');
    const own = await startPostgresInstance({ directory });
    if (own === undefined) throw new Error('PostgreSQL is not installed');
    await own.createDatabase('failing');
    const [found] = await own.query<{ oid: number }>(
      `SELECT oid FROM pg_database WHERE datname = 'failing'`,
    );
    const map = join(directory, 'data', 'base', `${found?.oid}`, 'pg_filenode.map');
    const whole = readFileSync(map);
    const database = open(own.url('failing'));
    writeFileSync(map, Buffer.alloc(whole.length));
    const error = await database.query('SELECT 1').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect((error as Error).message).to.equal('the database refused work (XX000)');
    writeFileSync(map, whole);
    expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await own.remove();
  });

  describe('on several hosts', () => {
    const hosts = (...names: string[]) => `postgres://cls@${names.join(',')}${url.pathname}`;

    it('are found where the first host is down, and again when it changes', async () => {
      const proxies = [await faultProxy(Number(url.port)), await faultProxy(Number(url.port))];
      const down = await freePort();
      const [first, second] = proxies.map(({ port }) => `127.0.0.1:${port}`);
      const database = open(hosts(`127.0.0.1:${down}`, first ?? '', second ?? ''));
      expect(await database.query(settings)).to.deep.equal([expected]);
      await proxies[0]?.close();
      await eventually(async () => {
        expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      });
      expect(proxies[1]?.seen).to.be.greaterThan(0);
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await proxies[1]?.close();
    });

    it('are refused with a sentence where all are down', async () => {
      const ports = [await freePort(), await freePort()];
      const database = open(hosts(...ports.map((port) => `127.0.0.1:${port}`)));
      const refused = await database.query('SELECT 1').catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(DatabaseUnavailable);
    });

    it('are refused at once while the primary is frozen, asked before or not, though its standby answers, until that is promoted', async function () {
      const primary = await startPostgresInstance();
      requireServer(this, 'PostgreSQL', primary);
      const standby = await primary.startStandby();
      const names = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
      const pair = `postgres://cls@${names.join(',')}/postgres`;
      const used = open(pair, { failFast: true });
      await used.query('SELECT 1');
      primary.freeze();
      const databases = [used, open(pair, { failFast: true })];
      const refused = (database: Database) =>
        database.query('SELECT 1').then(
          () => 'no refusal',
          ({ cause }: Error) => (cause as Error).message,
        );
      for (const database of databases) {
        await eventually(async () => {
          expect(await refused(database)).to.equal('the database does not answer');
        });
      }
      const refusals = new Set<string>();
      // Longer than sessions wait for a connection: whoever asked a host would hear of that.
      for (let n = 0; n < 14; n += 1) {
        await sleep(500);
        for (const database of databases) refusals.add(await refused(database));
      }
      expect([...refusals]).to.deep.equal(['the database does not answer']);
      await standby.promote();
      for (const database of databases) {
        await eventually(async () => {
          const [row] = await database.query('SHOW port');
          expect(row).to.deep.equal({ port: `${standby.port}` });
        });
      }
      primary.thaw();
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await Promise.all([primary.remove(), standby.remove()]);
    });

    for (const [given, urls, needsWrites] of [
      [
        'postgres://u:p@ss@h1:1,h2:2/db',
        ['postgres://u:p@ss@h1:1/db', 'postgres://u:p@ss@h2:2/db'],
        true,
      ],
      [
        'postgresql://h1,[::1]:5433/db?target_session_attrs=any&sslmode=require',
        ['postgresql://h1/db?sslmode=require', 'postgresql://[::1]:5433/db?sslmode=require'],
        false,
      ],
      ['postgres://u@h1/db', ['postgres://u@h1/db'], false],
      ['postgres://u@h1/db?target_session_attrs=primary', ['postgres://u@h1/db'], true],
      [
        'postgres://u@/db?host=/run/postgresql',
        ['postgres://u@/db?host=%2Frun%2Fpostgresql'],
        false,
      ],
    ] as const) {
      it(`are named by ${given}`, () => {
        expect(postgresHosts(given)).to.deep.equal({ urls, needsWrites });
      });
    }

    for (const bad of [
      'mysql://h/db',
      'postgres://h1,/db',
      'postgres://h/db?target_session_attrs=standby',
    ]) {
      it(`are not named by ${bad}`, () => {
        expect(postgresHosts(bad)).to.equal(undefined);
      });
    }
  });

  for (const [how, lines] of [
    ['refuses settings', []],
    [
      'drops settings',
      ['ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,jit'],
    ],
  ] as const) {
    describe(`behind pgbouncer in transaction mode that ${how}`, () => {
      let pooled: string;
      beforeEach(async function () {
        const bouncer = await startPgbouncer(url.href, [
          'pool_mode = transaction',
          'default_pool_size = 2',
          ...lines,
        ]);
        requireServer(this, 'pgbouncer', bouncer);
        bouncers.push(bouncer.process);
        pooled = bouncer.url;
      });

      it('have their settings in every statement and transaction, and leave none behind', async () => {
        const database = open(pooled);
        for (let n = 0; n < 5; n += 1) {
          expect(await database.query(settings)).to.deep.equal([expected]);
        }
        const both = await Promise.all(
          [1, 2, 3, 4].map(() =>
            database.transaction(async (transaction) => transaction.query(settings)),
          ),
        );
        expect(both.flat()).to.deep.equal([expected, expected, expected, expected]);
        const other = open(pooled.replace('127.0.0.1', 'localhost'));
        expect(await other.query('SELECT $1::bigint AS big', [7n])).to.deep.equal([{ big: 7n }]);
      });

      it('answer several questions that are the first', async () => {
        const database = open(pooled);
        const first = await Promise.all([1, 2, 3, 4, 5, 6].map(() => database.query(settings)));
        expect(first.flat()).to.deep.equal(Array.from(first, () => expected));
      });

      it('hear of changes by a URL of their own', async () => {
        const database = open(pooled, { listenUrl: new Secret(url.href) });
        const heard: string[] = [];
        await database.listen(
          'pooled_channel',
          (payload) => heard.push(payload),
          () => undefined,
        );
        await database.query(`SELECT pg_notify('pooled_channel', 'hello')`);
        await eventually(async () => expect(heard).to.deep.equal(['hello']));
        expect(notices).to.deep.equal([]);
      });

      it('say that they hear of nothing without one', async () => {
        const gaps: string[] = [];
        const stop = await open(pooled).listen(
          'pooled_channel',
          () => undefined,
          (gap) => gaps.push(gap),
        );
        expect(gaps).to.deep.equal(['lost']);
        expect(notices).to.deep.equal(['none']);
        await stop();
      });
    });
  }

  describe('of a server that freezes', () => {
    let proxy: FaultProxy;
    let database: Database;
    beforeEach(async () => {
      proxy = await faultProxy(Number(url.port));
      database = open(`postgres://cls@127.0.0.1:${proxy.port}${url.pathname}`, { failFast: true });
      await database.query('SELECT 1');
    });
    afterEach(async () => {
      proxy.heal();
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await proxy.close();
    });
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );

    it('are given up long before a statement’s limit, then refused at once, and come back', async () => {
      proxy.arm(0, 'late');
      const asked = Array.from({ length: 12 }, () => failure(database.query('SELECT 1')));
      for (const refused of await Promise.all(asked)) {
        expect(refused).to.be.instanceOf(DatabaseUnavailable);
      }
      const messages = proxy.seen;
      expect(await failure(database.query('SELECT 1'))).to.be.instanceOf(DatabaseUnavailable);
      expect(proxy.seen - messages, 'messages that a refused statement sent').to.be.below(3);
      proxy.heal();
      await eventually(async () => {
        expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      });
    });

    it('are given up within a transaction too, which is rolled back', async () => {
      await database.execute('CREATE TABLE IF NOT EXISTS frozen (id integer)');
      const refused = await failure(
        database.transaction(async (transaction) => {
          await transaction.query('INSERT INTO frozen VALUES (1)');
          proxy.arm(0, 'no answer');
          await transaction.query('INSERT INTO frozen VALUES (2)');
        }),
      );
      expect(refused).to.be.instanceOf(DatabaseUnavailable);
      proxy.heal();
      await eventually(async () => {
        expect(await database.query('SELECT id FROM frozen')).to.deep.equal([]);
      });
    });

    it('are left to the next user by one who gave up while they were being opened', async () => {
      const limits = { poolSize: 1, statementTimeoutMs: 4_000 };
      const only = open(`postgres://cls@127.0.0.1:${proxy.port}${url.pathname}`, limits);
      await only.query('SELECT 1');
      proxy.arm(0, 'cut after', 'once');
      const cut = failure(only.query('SELECT 1'));
      // Waits for the only session, and gets a new one when that is cut.
      const waits = failure(only.query('SELECT 1'));
      expect(await cut).to.be.instanceOf(DatabaseUnavailable);
      proxy.arm(1, 'no answer');
      expect(await waits).to.be.instanceOf(DatabaseUnavailable);
      proxy.heal();
      expect(await only.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    it('wait for a statement that takes long while the server answers', async () => {
      const [row] = await database.query(`SELECT 1 AS one FROM pg_sleep(4)`);
      expect(row).to.deep.equal({ one: 1 });
    });
  });
});
