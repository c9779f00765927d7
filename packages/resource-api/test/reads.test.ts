import { get } from 'node:http';
import { silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { DatabaseUnavailable, SqlError } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { readLog } from '../src/reads/read-log.ts';
import type { ReadFilter, ReadRecord } from '../src/reads/read-record.ts';
import { sqlReadLog } from '../src/reads/sql-read-log.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';
import { startTool } from './support/tool.ts';

const BALANCES = '/api/v1/cls/balances';
const DAY_MS = 86_400_000;
const EVER: ReadFilter = { since: new Date(0), until: new Date('2100-01-01') };
const AGENT = {
  sub: `acc_${'1'.repeat(26)}`,
  client_id: `app_${'2'.repeat(26)}`,
  account_type: 'account',
};
const RECORD: ReadRecord = {
  at: new Date(),
  requestId: 'one',
  subject: 'svc_1',
  clientId: 'svc_1',
  accountType: 'service_account',
  customer: 'bank',
  address: '192.0.2.1',
  version: 'v1',
  operation: 'GET /cls/balances',
  path: BALANCES,
  question: 'balances?level=deal',
  status: 200,
  items: 3,
  complete: true,
};

describeOnDatabase('the log of reads', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine, { READ_LOG: 'on', TRUSTED_PROXY_HOPS: '1' });
    await loadRecords(api.database, generated({ contracts: 150, years: 0 }).records);
  });
  after(() => api?.stop());

  const all = async (filter: Partial<ReadFilter> = {}) => {
    const found: ReadRecord[] = [];
    const lists = sqlReadLog(api.database).list({ ...EVER, ...filter }, 1_000);
    for await (const records of lists) found.push(...records);
    return found;
  };
  /** The records of requests with this id, once there are so many. */
  const recorded = async (requestId: string, count = 1) => {
    let found: readonly ReadRecord[] = [];
    await eventually(async () => {
      found = (await all()).filter((record) => record.requestId === requestId);
      expect(found).to.have.length(count);
    }, 30_000);
    return found;
  };
  const ask = async (id: string, path: string, headers: Record<string, string> = {}, claims = {}) =>
    api.getWith(path, await api.token({ ...AGENT, ...claims }), {
      ...{ 'x-request-id': id, 'x-forwarded-for': '6.6.6.6, 203.0.113.7' },
      ...headers,
    });

  it('has who asked, from where, what, and how many items the answer had', async () => {
    await ask('page', `${BALANCES}?limit=7&level=facility`);
    const [record] = await recorded('page');
    expect(record).to.deep.include({
      ...{ subject: AGENT.sub, clientId: AGENT.client_id, accountType: 'account' },
      ...{ customer: 'platform', address: '203.0.113.7', version: 'v1', path: BALANCES },
      ...{ operation: 'GET /cls/balances', question: 'balances?level=facility' },
      ...{ status: 200, items: 7, complete: true },
    });
    expect(Math.abs(Date.now() - (record?.at.getTime() ?? 0))).to.be.lessThan(DAY_MS);
  });

  it('names the question of a page by cursor', async () => {
    const first = await ask('first', `${BALANCES}?limit=5&level=contract&status=active`);
    const { page } = (await first.json()) as { page: { nextCursor: string } };
    await ask('next', `${BALANCES}?limit=6&cursor=${encodeURIComponent(page.nextCursor)}`);
    const [next] = await recorded('next');
    expect(next).to.deep.include({ question: 'balances?level=contract&status=active', items: 6 });
  });

  it('has answers that are sent again, with 304 too', async () => {
    const path = `${BALANCES}?limit=9`;
    const etag = (await ask('again', path)).headers.get('etag') ?? '';
    await ask('again', path);
    await ask('again', path, { 'if-none-match': etag });
    await ask('again', path, { 'if-none-match': etag });
    const found = await recorded('again', 4);
    expect(found.map(({ status, items }) => [status, items])).to.have.deep.members([
      [200, 9],
      [200, 9],
      [304, undefined],
      [304, undefined],
    ]);
  });

  it('has totals, and one deal by its id; of a deal that is not there, who asked for it', async () => {
    const [deal] = await api.database.query<{ id: string }>('SELECT id FROM deal LIMIT 1');
    await ask('deal', `/api/v1/cls/deals/${deal?.id}`);
    await ask('totals', `${BALANCES}/totals?groupBy=borrower`);
    const nobody = `/api/v1/cls/deals/deal_${'0'.repeat(26)}`;
    await ask('nothing', nobody, {}, viewer('nobody'));
    expect((await recorded('deal'))[0]).to.include({
      items: 1,
      path: `/api/v1/cls/deals/${deal?.id}`,
    });
    expect((await recorded('totals'))[0]?.items).to.be.greaterThan(0);
    const [missing] = await recorded('nothing');
    expect(missing).to.deep.include({
      status: 404,
      customer: 'nobody',
      path: nobody,
      items: undefined,
    });
    const named = await all({ deal: deal?.id ?? '' });
    expect(named.map(({ requestId }) => requestId)).to.deep.equal(['deal']);
  });

  for (const accept of ['application/x-ndjson', 'text/csv']) {
    it(`has how many items an export of ${accept} had, when it has ended`, async () => {
      const id = `export ${accept}`;
      const text = await (await ask(id, `${BALANCES}?level=position`, { accept })).text();
      const lines = text.trimEnd().split('\n').length;
      const [record] = await recorded(id);
      expect(record).to.include({ items: lines - 1, complete: true });
    });
  }

  it('has how many items of an export had been sent when its caller broke it off', async () => {
    const [facilities] = await api.database.query<{ count: number }>(
      'SELECT count(*)::float8 AS count FROM facility',
    );
    const token = await api.token();
    const headers = {
      ...{
        authorization: `Bearer ${token}`,
        accept: 'application/x-ndjson',
        'x-request-id': 'broken',
      },
      'accept-encoding': 'identity',
    };
    await new Promise<void>((done, failed) => {
      const path = `${BALANCES}?level=facility&expand=contracts`;
      const request = get(`${api.baseUrl}${path}`, { headers }, (response) => {
        response.once('data', () => {
          request.destroy();
          done();
        });
      });
      request.once('error', failed);
    });
    const [record] = await recorded('broken');
    expect(record?.complete).to.equal(false);
    expect(record?.items)
      .to.be.greaterThan(0)
      .and.lessThan(facilities?.count ?? 0);
  });

  it('has neither refusals nor what is not of the book, and no token', async () => {
    await ask('refused', `${BALANCES}?limit=0`);
    await ask('refused', BALANCES, {}, { scope: '' });
    await ask('refused', BALANCES, { accept: 'image/png' });
    await ask('refused', '/api/v1/cls/me');
    await ask('after', `${BALANCES}?limit=1`);
    await recorded('after');
    await recorded('refused', 0);
    const rows = await api.database.query<{ row: string }>('SELECT r::text AS row FROM read_log r');
    const text = rows.map(({ row }) => row).join('\n');
    expect(text).not.to.include('eyJ').and.not.include('Bearer');
  });

  it('is kept by days, and drops those that are older than it is kept', async () => {
    const records = sqlReadLog(api.database);
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
    await records.add([
      { ...RECORD, requestId: 'old', at: daysAgo(40) },
      { ...RECORD, requestId: 'young', at: daysAgo(2) },
    ]);
    const days = await api.database.query<{ name: string }>('SELECT name FROM read_log_day');
    expect(days).to.have.length(4);
    await api.database.query(`CREATE TABLE read_log_past (LIKE read_log INCLUDING INDEXES)`);
    await api.database.query(
      `ALTER TABLE read_log ATTACH PARTITION read_log_past FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
    );
    await records.sweep(0);
    const kept = async () => (await all({ client: 'svc_1' })).map(({ requestId }) => requestId);
    expect(await kept()).to.deep.equal(['old', 'young']);
    await records.sweep(30);
    expect(await kept()).to.deep.equal(['young']);
    const left = await api.database.query<{ name: string }>('SELECT name FROM read_log_day');
    expect(left.map(({ name }) => name)).to.not.include('read_log_past');
  });

  it('brings rows that came before their day was made to it', async () => {
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '_');
    await api.database.execute(`DROP TABLE read_log_${today}`);
    const records = sqlReadLog(api.database);
    await records.add([{ ...RECORD, requestId: 'early' }]);
    await records.sweep(0);
    await recorded('early');
    const [{ count } = { count: 0n }] = await api.database.query<{ count: bigint }>(
      `SELECT count(*) FROM read_log_${today} WHERE request_id = 'early'`,
    );
    expect(count).to.equal(1n);
  });
});

describe('rows of the log of reads that wait', () => {
  const NEVER_MS = 3_600_000;
  const START = { metrics: noMetrics, log: silentLog, everyMs: NEVER_MS, waitingMax: 2 };
  /** @param refuses of rows that are written together: whether one of them is why they cannot be */
  const failing = (
    error: Error | undefined,
    refuses: (record: ReadRecord) => boolean = () => true,
  ) => {
    const written: ReadRecord[] = [];
    let fault = error;
    return {
      written,
      heal: () => {
        fault = undefined;
      },
      records: {
        sweep: async () => undefined,
        async add(records: readonly ReadRecord[]) {
          if (fault !== undefined && records.some(refuses)) throw fault;
          written.push(...records);
        },
      },
    };
  };
  const away = () => failing(new DatabaseUnavailable('away'));
  const idsOf = (records: readonly ReadRecord[]) => records.map(({ requestId }) => requestId);
  const named = (requestId: string) => ({ ...RECORD, requestId });

  it('are written once the database is there again; what is more than may wait is lost', async () => {
    const { records, written, heal } = away();
    const reads = readLog({ mode: 'on', keptDays: 0 }, { ...START, records });
    for (const id of ['a', 'b', 'c']) {
      reads.admit();
      reads.record(named(id));
    }
    heal();
    await reads.stop();
    expect(idsOf(written)).to.deep.equal(['a', 'b']);
  });

  it('refuse questions where reads must be logged', async () => {
    const { records, written, heal } = away();
    const reads = readLog({ mode: 'required', keptDays: 0 }, { ...START, records });
    for (const id of ['a', 'b']) {
      reads.admit();
      reads.record(named(id));
    }
    expect(() => reads.admit()).to.throw(DatabaseUnavailable, 'READ_LOG=required');
    // Of a request that was under way.
    reads.record(named('c'));
    heal();
    await reads.stop();
    expect(idsOf(written)).to.deep.equal(['a', 'b', 'c']);
  });

  it('do not wait behind rows that the database refuses', async () => {
    const { records, written, heal } = failing(new SqlError('invalid', '22021'));
    const reads = readLog({ mode: 'on', keptDays: 0 }, { ...START, records, everyMs: 5 });
    reads.record(named('refused'));
    await new Promise((done) => setTimeout(done, 50));
    heal();
    reads.record(named('after'));
    await reads.stop();
    expect(idsOf(written)).to.include('after');
  });

  it('are written but for the one that the database cannot take', async () => {
    const refuses = ({ requestId }: ReadRecord) => requestId === '4';
    const { records, written } = failing(new SqlError('invalid', '22P05'), refuses);
    const waitingMax = 20;
    const reads = readLog({ mode: 'required', keptDays: 0 }, { ...START, records, waitingMax });
    const ids = Array.from({ length: 10 }, (_, n) => `${n}`);
    for (const id of ids) reads.record(named(id));
    await reads.stop();
    expect(idsOf(written)).to.deep.equal(ids.filter((id) => id !== '4'));
  });

  for (const code of ['42501', '42P01', '53100', '0A000']) {
    it(`wait where no row can be written (${code}), and questions are refused where reads must be logged`, async () => {
      const { records, written, heal } = failing(new SqlError('refused', code));
      const reads = readLog({ mode: 'required', keptDays: 0 }, { ...START, records, everyMs: 5 });
      for (const id of ['a', 'b']) reads.record(named(id));
      await new Promise((done) => setTimeout(done, 50));
      expect(() => reads.admit()).to.throw(DatabaseUnavailable, 'READ_LOG=required');
      heal();
      await reads.stop();
      expect(idsOf(written)).to.deep.equal(['a', 'b']);
    });
  }

  it('are none where it is off', async () => {
    const { records, written } = failing(undefined);
    const reads = readLog({ mode: 'off', keptDays: 0 }, { ...START, records });
    reads.record(named('a'));
    await reads.stop();
    expect(written).to.deep.equal([]);
  });
});

describe('cls-api reads', () => {
  it('says what it expects, and that there is nothing', async () => {
    const tool = await startTool();
    try {
      expect(await tool.json('reads', '--client', 'svc_1', '--since', '2026-01-01')).to.deep.equal({
        reads: [],
        more: false,
      });
      const wrong = await tool.run('reads', '--since', 'yesterday', '--limit', '0');
      expect(wrong.code).to.equal(2);
      expect(wrong.stderr).to.include('--since: expected a date such as').and.include('--limit:');
      const noDay = await tool.run('reads', '--since', '2026-02-30T09:30:00Z');
      expect([noDay.code, noDay.stderr.split(':', 1)[0]]).to.deep.equal([2, '--since']);
    } finally {
      await tool.stop();
    }
  });
});
