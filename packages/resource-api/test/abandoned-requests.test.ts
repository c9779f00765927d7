import type { Database } from '@cls/shared/sql/database';
import { postgres, requireServer } from '@cls/testing/engines';
import { readExposition } from '@cls/testing/exposition';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';

const BALANCES = '/api/v1/cls/balances';
const MOVEMENTS = `${BALANCES}/principal/movements`;
const GREEDY = {
  sub: 'svc_0000000000000000000000GREE',
  client_id: 'svc_0000000000000000000000GREE',
};

/** Statements of the service that run, or wait for a lock. */
const RUNNING = `SELECT pid, extract(epoch FROM clock_timestamp() - query_start)::float8 AS seconds
  FROM pg_stat_activity
  WHERE application_name = 'cls-resource-api' AND state = 'active' AND wait_event_type = 'Lock'`;

describe('questions that the database does not get done [PostgreSQL]', () => {
  let api: TestApi;
  before(async function () {
    this.timeout(60_000);
    requireServer(this, 'PostgreSQL', await postgresServer());
    api = await startTestApi(postgres, {
      CALLER_REQUESTS_AT_ONCE: '20',
      CALLER_STATEMENT_S_PER_MINUTE: '0',
      READ_LOG: 'on',
    });
    await loadRecords(api.database, generated({ contracts: 4, years: 1 }).records);
  });
  after(() => api?.stop());

  const running = () => api.database.query<{ pid: number; seconds: number }>(RUNNING);
  const untilRunning = (count: number) =>
    eventually(async () => expect(await running()).to.have.length(count));

  it('of one caller, twenty at once, keep nobody else waiting', async () => {
    await whileLocked(api.database, async () => {
      const client = new AbortController();
      const greedy = ask(api, 20, client.signal);
      // Half of the connections that questions have; the others wait in the caller's own queue.
      await untilRunning(2);
      const cheap = await api.get(`${MOVEMENTS}?limit=1`);
      expect(cheap.status).to.equal(200);
      expect(await running()).to.have.length(2);
      const refused = await api.get(`${MOVEMENTS}?limit=2`, GREEDY);
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('1');
      expect(refused.headers.get('content-type')).to.equal('application/problem+json');
      expect(await refused.json()).to.include({ status: 429, code: 'too_many_at_once' });
      client.abort();
      await greedy;
    });
  });

  it('are cancelled when their client is gone, and those that wait never begin', async () => {
    await whileLocked(api.database, async () => {
      const client = new AbortController();
      const questions = ask(api, 6, client.signal);
      await untilRunning(2);
      client.abort();
      await questions;
      // The lock is held still: what began after the abort would be waiting for it.
      await untilRunning(0);
    });
    expect((await api.get(`${BALANCES}?limit=3`, GREEDY)).status).to.equal(200);
  });

  it('are not in the log of reads when their client is gone before the answer: nothing was read', async () => {
    await whileLocked(api.database, async () => {
      const client = new AbortController();
      const questions = ask(api, 1, client.signal, undefined, { 'x-request-id': 'gone' });
      await untilRunning(1);
      client.abort();
      await questions;
      await untilRunning(0);
    });
    await api.getWith(`${BALANCES}?limit=1`, await api.token(), { 'x-request-id': 'after' });
    const logged = () =>
      api.database.query<{ id: string; status: number }>(
        `SELECT request_id AS id, status FROM read_log WHERE request_id IN ('gone', 'after')`,
      );
    await eventually(async () => expect(await logged()).to.not.be.empty);
    expect(await logged()).to.deep.equal([{ id: 'after', status: 200 }]);
  });

  it('are cancelled when they are part of an export', async () => {
    await whileLocked(api.database, async () => {
      const client = new AbortController();
      const headers = { authorization: `Bearer ${await api.token(GREEDY)}`, accept: 'text/csv' };
      const options = { signal: client.signal, headers };
      const exported = fetch(`${api.baseUrl}${BALANCES}`, options).catch(() => undefined);
      await untilRunning(1);
      client.abort();
      await exported;
      await untilRunning(0);
    });
  });
});

describe('an export that has begun [PostgreSQL]', () => {
  let api: TestApi;
  before(async function () {
    this.timeout(60_000);
    requireServer(this, 'PostgreSQL', await postgresServer());
    api = await startTestApi(postgres, { CALLER_STATEMENT_S_PER_MINUTE: '0' });
    // So many batches that the lock is there long before the last of them.
    await loadRecords(api.database, generated({ contracts: 3_000, years: 0 }).records);
  });
  after(() => api?.stop());

  // With contracts, a batch has 50 items.
  const begin = async (signal?: AbortSignal) => {
    const accept = 'application/x-ndjson';
    // Compressed, the whole export would fit between the service and a client that does not read.
    const encoding = { 'accept-encoding': 'identity' };
    const headers = { authorization: `Bearer ${await api.token()}`, accept, ...encoding };
    const path = `${BALANCES}?level=facility&expand=contracts`;
    const { body } = await fetch(`${api.baseUrl}${path}`, { headers, signal: signal ?? null });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    // An export waits for a client that does not read on, and then uses no connection.
    const readOn = async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) return text;
        text += value;
      }
    };
    let rest: Promise<string> | undefined;
    return () => {
      rest ??= readOn();
      rest.catch(() => undefined);
      return rest;
    };
  };
  const inUse = () =>
    api.database.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity
      WHERE application_name = 'cls-resource-api'
        AND (state = 'active' AND wait_event_type = 'Lock' OR state LIKE 'idle in transaction%')`);
  /** One batch or two, by how far the export was when the lock came. */
  const batchesHeld = () =>
    eventually(async () => {
      const held = await api.database.query<{ pid: number }>(RUNNING);
      expect(held).to.not.be.empty;
      return held;
    });

  it('leaves no connection in use when its client goes in the middle', async () => {
    const client = new AbortController();
    const rest = await begin(client.signal);
    await whileLocked(api.database, async () => {
      rest();
      await batchesHeld();
      client.abort();
      expect(await rest().catch(({ name }: Error) => name)).to.equal('AbortError');
      await eventually(async () => expect(await inUse()).to.have.length(0));
    });
  });

  it('is cut before its last line where the batch ahead fails, and the next one is whole', async () => {
    const rest = await begin();
    await whileLocked(api.database, async () => {
      rest();
      for (const { pid } of await batchesHeld()) {
        await api.database.query('SELECT pg_cancel_backend($1)', [pid]);
      }
      expect(await rest().catch(({ name }: Error) => name)).to.equal('TypeError');
      await eventually(async () => expect(await inUse()).to.have.length(0));
    });
    const lines = (await (await begin())()).trimEnd().split('\n');
    expect(JSON.parse(lines.pop() ?? '')).to.include({ object: 'summary', count: lines.length });
    expect(lines).to.have.length.at.least(1_200);
  });
});

describe('questions that take longer than their limit [PostgreSQL]', () => {
  let api: TestApi;
  before(async function () {
    this.timeout(60_000);
    requireServer(this, 'PostgreSQL', await postgresServer());
    const limits = { ANSWER_TIMEOUT_S: '1', CALLER_REQUESTS_AT_ONCE: '0' };
    api = await startTestApi(postgres, limits);
    await loadRecords(api.database, generated({ contracts: 4, years: 1 }).records);
  });
  after(() => api?.stop());

  it('are refused with 503, those that wait for a connection too, and cancelled', async () => {
    await whileLocked(api.database, async () => {
      const questions = Array.from({ length: 6 }, (_, at) =>
        api.get(`${BALANCES}?limit=${at + 1}`),
      );
      for (const answer of await Promise.all(questions)) {
        expect(answer.status).to.equal(503);
        expect(answer.headers.get('retry-after')).to.equal('2');
        expect(await answer.json()).to.include({ status: 503, code: 'unavailable' });
      }
      // The lock is held still: what was not cancelled would be waiting for it.
      await eventually(async () => {
        expect(await api.database.query(RUNNING)).to.have.length(0);
      });
    });
    expect((await api.get(`${BALANCES}?limit=7`)).status).to.equal(200);
  });
});

describe('more questions than may wait for the database [PostgreSQL]', () => {
  let api: TestApi;
  before(async function () {
    this.timeout(60_000);
    requireServer(this, 'PostgreSQL', await postgresServer());
    api = await startTestApi(postgres, { CALLER_REQUESTS_AT_ONCE: '0', METRICS_PORT: '0' });
    await loadRecords(api.database, generated({ contracts: 4, years: 1 }).records);
  });
  after(() => api?.stop());

  it('are refused by their addresses, before any step of an answer; what needs no turn is answered', async () => {
    const token = await api.token(GREEDY);
    const known = `${MOVEMENTS}?limit=3`;
    for (const time of ['made', 'kept']) {
      expect((await api.getWith(known, token)).status, time).to.equal(200);
    }
    await whileLocked(api.database, async () => {
      const client = new AbortController();
      const greedy = ask(api, 230, client.signal, token);
      const metric = async (name: string, labels = {}) =>
        (await readExposition(api.metricsPort)).value(name, labels);
      await eventually(async () =>
        expect(await metric('cls_questions_waiting')).to.be.at.least(200),
      );
      const shed = () => metric('cls_shed_total', { what: 'queue' });
      // The lists' parameter is wrong: no step has looked at it.
      const headers = { 'x-request-id': 'mine', accept: 'text/html' };
      // Until all questions have come: the queue may not be full before, and others of them are counted too.
      const refused = await eventually(async () => {
        const before = (await shed()) ?? 0;
        const answer = await api.getWith(`${BALANCES}?limit=none`, token, headers);
        expect(answer.status).to.equal(503);
        expect(await shed()).to.equal(before + 1);
        return answer;
      });
      expect(refused.headers.get('retry-after')).to.equal('2');
      expect(refused.headers.get('x-request-id')).to.equal('mine');
      expect(refused.headers.get('content-type')).to.equal('application/problem+json');
      expect(await refused.json()).to.include({ code: 'unavailable', requestId: 'mine' });
      expect((await api.getWith(known, token)).status, 'a cached answer').to.equal(200);
      expect((await api.getWith('/api/v1/openapi.json', token)).status).to.equal(200);
      expect((await api.getWith('/livez', token)).status).to.equal(200);
      expect((await api.get(`${MOVEMENTS}?limit=1`)).status, 'another caller').to.equal(200);
      client.abort();
      await greedy;
    });
    expect((await api.getWith(`${BALANCES}?limit=3`, token)).status).to.equal(200);
  });
});

describe('statement time that a caller has spent [PostgreSQL]', () => {
  let api: TestApi;
  before(async function () {
    this.timeout(60_000);
    requireServer(this, 'PostgreSQL', await postgresServer());
    api = await startTestApi(postgres, { CALLER_STATEMENT_S_PER_MINUTE: '1' });
    await loadRecords(api.database, generated({ contracts: 4, years: 1 }).records);
  });
  after(() => api?.stop());

  it('is answered with 429 and when to ask again, for this caller alone', async () => {
    let answer: Promise<Response> | undefined;
    await whileLocked(api.database, async () => {
      answer = api.get(`${BALANCES}?limit=1`, GREEDY);
      await eventually(async () => {
        const [statement] = await api.database.query<{ seconds: number }>(RUNNING);
        expect(statement?.seconds).to.be.greaterThan(2);
      });
    });
    expect((await answer)?.status).to.equal(200);
    const refused = await api.get(`${BALANCES}?limit=2`, GREEDY);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 61);
    expect(refused.headers.get('content-type')).to.equal('application/problem+json');
    expect(await refused.json()).to.include({ status: 429, code: 'statement_budget_spent' });
    expect((await api.get(`${MOVEMENTS}?limit=1`)).status).to.equal(200);
  });
});

/** Balances cannot be read meanwhile; movements can. */
function whileLocked(database: Database, work: () => Promise<void>): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.execute('LOCK TABLE balance IN ACCESS EXCLUSIVE MODE');
    await work();
  });
}

/** Different questions at once; resolves when each has ended, however. */
async function ask(
  api: TestApi,
  count: number,
  signal: AbortSignal,
  token?: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const authorization = `Bearer ${token ?? (await api.token(GREEDY))}`;
  const questions = Array.from({ length: count }, (_, index) =>
    fetch(`${api.baseUrl}${BALANCES}?limit=${index + 1}`, {
      signal,
      headers: { authorization, ...headers },
    }).catch(() => undefined),
  );
  await Promise.all(questions);
}
