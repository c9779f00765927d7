import { Random } from '@cls/book-generator/random';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { eventually, type RedisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { connectRedis, type RedisScripts } from '../src/access/redis-connection.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { readCustomerUse } from '../src/usage/customer-usage.ts';
import { redisVersionUsage } from '../src/usage/redis-version-usage.ts';
import { sqlVersionUsage } from '../src/usage/sql-version-usage.ts';
import { sumUsage } from '../src/usage/sum-usage.ts';
import { usageCounter } from '../src/usage/usage-counter.ts';
import {
  addUsage,
  type CustomerUsage,
  type UsageCount,
  type UsageStore,
  type UsageSubject,
  type UsageSummaries,
} from '../src/usage/version-usage.ts';
import { startTestApi, viewer } from './support/api.ts';
import { startTool } from './support/tool.ts';

const NEVER_MS = 3_600_000;
const DAY = '2026-11-22';
const NEXT_DAY = '2026-11-23';
const SUBJECT: Omit<UsageSubject, 'day'> = {
  customer: 'bank',
  clientId: 'svc_1',
  subject: 'svc_1',
  requested: 'latest',
  served: 'v1',
  operation: 'GET /cls/balances',
};
const clockAt = (day: string) => ({ now: () => new Date(`${day}T12:00:00Z`) });
const told = (counts: readonly UsageCount[]) =>
  counts.map((one) => [one.customer, one.requested, one.served, one.operation, one.requests]);

describeOnDatabase('the use of versions', (engine) => {
  it('is counted for each caller, version and operation, whatever the answer', async () => {
    const api = await startTestApi(engine);
    try {
      for (const path of ['/api/v1/cls/balances', '/api/latest/cls/balances']) {
        expect((await api.get(`${path}?limit=1`, viewer('bank'))).status).to.equal(200);
      }
      expect((await api.get('/api/v1/cls/balances?limit=0', viewer('bank'))).status).to.equal(400);
      // None of these is anybody's use of a version.
      const unpermitted = { ...viewer('fund'), scope: '' };
      expect((await api.get('/api/v1/cls/balances', unpermitted)).status).to.equal(403);
      await api.getWith('/api/v1/cls/balances', undefined);
      await api.getWith('/api/v1/cls/balances', 'forged');
      await api.get('/api/v1/cls/nothing', viewer('bank'));
      await api.get('/api/v9/cls/balances', viewer('bank'));
      await api.stopService();
      const database = await openDatabaseAsOperator(api.location, 'test', silentLog);
      try {
        expect(told(await sqlVersionUsage(database).since('2020-01-01'))).to.deep.equal([
          ['bank', 'latest', 'v1', 'GET /cls/balances', 1],
          ['bank', 'v1', 'v1', 'GET /cls/balances', 2],
        ]);
      } finally {
        await database.close();
      }
    } finally {
      await api.stop();
    }
  });

  describe('without Redis', () => {
    let database: Database;
    before(async () => {
      database = await engine.open(MIGRATIONS);
    });
    after(() => database?.close());

    countsExactly(() => sqlVersionUsage(database));
  });
});

describe('the use of versions on Redis', () => {
  let server: RedisServer;
  let redis: RedisScripts;
  before(async function () {
    const started = await startRedis();
    requireServer(this, 'Redis', started);
    server = started;
    redis = connectRedis(new Secret(server.url), silentLog);
    await redis.ready();
  });
  after(async () => {
    await redis?.stop();
    server?.process.kill('SIGKILL');
  });

  countsExactly(() => redisVersionUsage(redis, clockAt(DAY).now));

  it('has both days of a batch that spans midnight, also when it is sent again', async () => {
    const store = redisVersionUsage(redis, clockAt('2030-01-02').now);
    const days = ['2030-01-01', '2030-01-02'];
    const counts = days.map((day) => ({ ...SUBJECT, day, requests: 3 }));
    const batch = { source: 'use_midnight', number: 1, counts };
    await store.add({ ...batch, counts: counts.slice(0, 1) });
    await store.add(batch);
    await store.add(batch);
    expect(await store.since('2030-01-01')).to.deep.equal(counts);
    expect(await store.since('2030-01-02')).to.deep.equal(counts.slice(1));
  });
});

describeOnDatabase('a service that stops while Redis is gone', (engine) => {
  it('leaves its counts in the database', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const api = await startTestApi(engine, { REDIS_URL: server.url });
    try {
      await api.get('/api/v1/cls/balances?limit=1', viewer('bank'));
      server.process.kill('SIGKILL');
      await api.stopService();
      const database = await openDatabaseAsOperator(api.location, 'test', silentLog);
      const counts = await sqlVersionUsage(database).since('2020-01-01');
      await database.close();
      expect(told(counts)).to.deep.equal([['bank', 'v1', 'v1', 'GET /cls/balances', 1]]);
    } finally {
      server.process.kill('SIGKILL');
      await api.stop();
    }
  });
});

describe('cls-api versions usage', () => {
  it('lists callers with their first and last day, and says what it expects', async () => {
    const tool = await startTool();
    try {
      const empty = await tool.run('versions', 'usage');
      expect(empty.code, empty.stderr).to.equal(0);
      expect(await tool.json('versions', 'usage', '--days', '30')).to.deep.equal([]);
      const bad = await tool.run('versions', 'usage', '--days', '401');
      expect(bad.code).to.equal(2);
      expect(bad.stderr).to.contain('--days: expected a whole number from 1 to 400');
    } finally {
      await tool.stop();
    }
  });
});

function countsExactly(open: () => UsageStore & UsageSummaries & CustomerUsage): void {
  it('is added up for each caller and operation of the versions that are asked about', async () => {
    const seven = { ...SUBJECT, requested: 'v7', served: 'v7' };
    const other = { ...seven, clientId: 'app_1', subject: 'acc_1' };
    const counts = [
      { ...seven, day: '2026-10-01', requests: 5 },
      { ...seven, day: '2026-10-02', requests: 2 },
      // One that was answered by another version.
      { ...seven, served: 'v8', day: '2026-10-01', requests: 1 },
      { ...other, day: '2026-10-01', requests: 3 },
      { ...other, day: '2026-09-30', requests: 9 },
      { ...seven, requested: 'v8', day: '2026-10-01', requests: 4 },
    ];
    await open().add({ source: 'use_summary', number: 1, counts });
    const named = (await open().summarize('2026-10-01', ['v7', 'v9'])).map((use) => [
      ...[use.customer, use.clientId, use.subject, use.requested, use.operation],
      ...[use.requests, use.lastDay],
    ]);
    expect(named).to.deep.equal([
      ['bank', 'app_1', 'acc_1', 'v7', 'GET /cls/balances', 3, '2026-10-01'],
      ['bank', 'svc_1', 'svc_1', 'v7', 'GET /cls/balances', 8, '2026-10-02'],
    ]);
    const twice = await sumUsage(open(), open()).summarize('2026-10-01', ['v7']);
    expect(twice.map(({ requests }) => requests)).to.deep.equal([6, 16]);
    expect(await open().summarize('2026-10-01', [])).to.deep.equal([]);
  });

  it('of one customer is that of no other, of a client whoever of its people asked, by day', async () => {
    const [one, other] = [
      { ...SUBJECT, customer: 'counted' },
      { ...SUBJECT, customer: 'counted2' },
    ];
    const counts = [
      { ...one, day: '2026-09-01', requests: 1 },
      { ...one, day: '2026-09-02', requests: 2 },
      { ...one, day: '2026-09-02', subject: 'acc_2', requests: 3 },
      { ...one, day: '2026-09-02', clientId: 'app_1', requests: 4 },
      { ...one, day: '2026-09-03', requests: 8 },
      { ...other, day: '2026-09-02', requests: 16 },
    ];
    await open().add({ source: 'use_customer', number: 1, counts });
    const use = await readCustomerUse(open(), 'counted', '2026-09-02', '2026-09-03');
    expect(use.uses.map(({ day, clientId, requests }) => [day, clientId, requests])).to.deep.equal([
      ['2026-09-03', 'svc_1', 8],
      ['2026-09-02', 'svc_1', 5],
      ['2026-09-02', 'app_1', 4],
    ]);
    expect(use.requests).to.equal(17);
    const version = { requested: 'latest', served: 'v1' };
    expect(use.versions).to.deep.equal([{ ...version, requests: 17, lastDay: '2026-09-03' }]);
    expect(use.clients).to.deep.equal([
      { clientId: 'svc_1', ...version, requests: 13, lastDay: '2026-09-03' },
      { clientId: 'app_1', ...version, requests: 4, lastDay: '2026-09-02' },
    ]);
    const both = sumUsage(open(), open());
    expect((await readCustomerUse(both, 'counted', '2026-09-01', '2026-09-02')).requests).to.equal(
      20,
    );
  });

  it('is sent by itself every few moments, without a request that waits for it', async () => {
    const counter = usageCounter({
      ...{ store: open(), clock: clockAt(NEXT_DAY), log: silentLog, everyMs: 5 },
    });
    counter.count(SUBJECT);
    await eventually(async () => {
      const counts = await open().since(NEXT_DAY);
      if (counts.length === 0) throw new Error('nothing was sent yet');
    });
    await counter.stop();
    expect(await open().since(NEXT_DAY)).to.have.lengthOf(1);
  });

  it('is exact after any history of failures, batches that are sent again, and stops', async () => {
    const random = new Random(5);
    const expected: UsageCount[] = [];
    const store = open();
    const fallback = kept();
    // A store that sometimes fails before it has a batch, and sometimes after.
    const failing: UsageStore = {
      since: store.since,
      async add(batch) {
        if (random.chance(0.3)) throw new Error('not reached');
        await store.add(batch);
        if (random.chance(0.3)) throw new Error('the answer was lost');
      },
    };
    for (let process = 0; process < 8; process += 1) {
      const log = silentLog;
      let flaky = true;
      const through: UsageStore = {
        since: store.since,
        add: (batch) => (flaky ? failing.add(batch) : store.add(batch)),
      };
      const options = { store: through, fallback, clock: clockAt(DAY), log, everyMs: 1 };
      const counter = usageCounter(options);
      for (let step = 0; step < 30; step += 1) {
        const subject = {
          ...SUBJECT,
          customer: random.pick(['bank', 'fund', 'agency']),
          requested: random.pick(['v1', 'latest']),
        };
        counter.count(subject);
        expected.push({ ...subject, day: DAY, requests: 1 });
        if (random.chance(0.3)) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      flaky = false;
      await counter.stop();
    }
    const found = addUsage(await open().since(DAY), await fallback.since(DAY));
    const mine = found.filter(({ day, operation }) => day === DAY && operation !== '');
    expect(mine).to.deep.equal(addUsage(expected));
  });

  it('goes to the other store when the service stops and its own does not answer', async () => {
    const fallback = kept();
    const gone: UsageStore = {
      add: () => Promise.reject(new Error('gone')),
      since: () => Promise.reject(new Error('gone')),
    };
    const counter = usageCounter({
      ...{ store: gone, fallback, clock: clockAt(DAY), log: silentLog, everyMs: NEVER_MS },
    });
    counter.count(SUBJECT);
    counter.count(SUBJECT);
    await counter.stop();
    expect(await fallback.since(DAY)).to.deep.equal([{ ...SUBJECT, day: DAY, requests: 2 }]);
  });
}

function kept(): UsageStore {
  const batches: UsageCount[] = [];
  return {
    async add({ counts }) {
      batches.push(...counts);
    },
    since: async () => addUsage(batches),
  };
}
