import { silentLog } from '@cls/shared/log';
import { describeOnDatabase } from '@cls/testing/engines';
import { type Exposition, readExposition } from '@cls/testing/exposition';
import { statusOfRaw, UNREADABLE } from '@cls/testing/raw-request';
import { expect } from 'chai';
import { CACHES } from '../src/memory/register.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, statement } from './support/book.ts';

const BALANCES = '/api/v1/cls/balances';
const LOAN = {
  'Loan Number': 'L1',
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
};

describeOnDatabase('Metrics of resource-api', (engine) => {
  let api: TestApi;
  const read = (): Promise<Exposition> => readExposition(api.metricsPort);
  before(async () => {
    api = await startTestApi(engine, { METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '2500' });
  });
  after(() => api.stop());

  it('say nothing of a ledger without a journal but its sequence', async () => {
    const { value } = await read();
    expect(value('cls_ledger_sequence')).to.equal(0);
    expect(value('cls_ledger_newest_journal_age_seconds')).to.equal(undefined);
  });

  it('show the ledger’s sequence, the age of its newest journal, and that of the key set', async () => {
    await importWorldBank(api.database, statement('2025-06-30', [LOAN]));
    const { value } = await read();
    expect(value('cls_ledger_sequence')).to.be.above(0);
    expect(value('cls_ledger_newest_journal_age_seconds')).to.be.at.least(0);
    expect(value('cls_key_set_age_seconds')).to.be.at.least(0);
    expect(value('cls_notices')).to.equal(0);
    expect(value('cls_questions_waiting')).to.equal(0);
    expect(value('cls_ready', { need: 'database' })).to.equal(1);
    expect(value('cls_ready', { need: 'keys' })).to.equal(1);
  });

  it('count a request by its route, a repeated one from what is kept too', async () => {
    const before = await read();
    const token = await api.token();
    for (let n = 0; n < 4; n += 1) await api.getWith(`${BALANCES}?limit=1`, token);
    const after = await read();
    const grown = (name: string, labels: Record<string, string>) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    const asked = { route: BALANCES, method: 'GET', status: '200' };
    expect(grown('cls_http_requests_total', asked)).to.equal(4);
    expect(grown('cls_http_request_duration_seconds_count', { route: BALANCES })).to.equal(4);
    expect(grown('cls_cache_lookups_total', { cache: 'answers', result: 'hit' })).to.equal(3);
  });

  it('show how often each cache answered and how full it is', async () => {
    const token = await api.token();
    for (const limit of [2, 3]) await api.getWith(`${BALANCES}?limit=${limit}`, token);
    await fetch(`${api.baseUrl}/docs`).then((answer) => answer.text());
    const { value } = await read();
    for (const cache of Object.keys(CACHES)) {
      expect(value('cls_cache_entries', { cache }), cache).to.be.at.least(0);
      expect(value('cls_cache_lookups_total', { cache, result: 'miss' }), cache).to.be.at.least(0);
    }
    for (const cache of ['tokens', 'keys', 'answers', 'book', 'documentation']) {
      expect(value('cls_cache_entries', { cache }), cache).to.be.above(0);
    }
    for (const cache of ['tokens', 'keys', 'book']) {
      expect(value('cls_cache_lookups_total', { cache, result: 'hit' }), cache).to.be.above(0);
    }
    expect(value('cls_cache_bytes', { cache: 'answers' })).to.be.above(1_000);
    expect(value('cls_cache_entries', { cache: 'callers' })).to.be.above(0);
  });

  it('are of eight caches at most', () => {
    expect(Object.keys(CACHES)).to.have.lengthOf.at.most(8);
  });

  it('stay as many, whatever versions, paths, deals, methods and callers ask', async () => {
    const methods = ['GET', 'GET', 'POST', 'DELETE', 'PROPFIND'];
    const odd = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const token = await api.token({ client_id: `c${n}`, sub: `s${n}`, customer: `bank${n}` });
        const headers = { authorization: `Bearer ${token}` };
        const paths = [
          `/api/v${n}/cls/balances`,
          `/api/v1/cls/${n}`,
          `/api/v1/cls/deals/deal_${n}`,
          `/api/v1/cls/balances/bal_${n}?x=${n}`,
          `/docs/${n}`,
          `/${n}`,
        ];
        const method = methods[n % methods.length] ?? 'GET';
        await Promise.all(
          paths.map(async (path) => {
            const answer = await fetch(`${api.baseUrl}${path}`, { method, headers });
            await answer.text();
          }),
        );
      }
    };
    await odd(0, 20);
    const before = await read();
    await odd(20, 100);
    const { series, value } = await read();
    expect(series).to.deep.equal(before.series);
    expect(value('cls_http_requests_total', { route: 'other' })).to.be.above(100);
    expect(value('cls_http_requests_total', { route: '/api/v1/cls/deals/{id}' })).to.equal(100);
  });

  it('count requests that were refused before they could be read', async () => {
    for (const [text, status] of UNREADABLE) {
      expect(await statusOfRaw(Number(new URL(api.baseUrl).port), text)).to.equal(status);
    }
    const { value } = await read();
    const unreadable = (status: string) => value('cls_unreadable_requests_total', { status });
    expect(['400', '431', '413'].map(unreadable)).to.deep.equal([2, 1, 0]);
    expect(value('cls_slow_readers_total')).to.equal(0);
  });

  it('count callers that a limit refuses, whom the log names', async () => {
    const lines: { status?: number; clientId?: string }[] = [];
    const log = { ...silentLog, info: (fields: object) => void lines.push(fields) };
    const env = { METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '1' };
    const refused = await startTestApi(engine, env, undefined, undefined, log);
    const token = await refused.token({ client_id: 'svc_busy' });
    for (let n = 0; n < 3; n += 1) await refused.getWith(BALANCES, token);
    const { value } = await readExposition(refused.metricsPort);
    await refused.stop();
    expect(value('cls_throttled_total', { tried: 'rate_limited' })).to.equal(2);
    const named = lines.filter(({ status }) => status === 429).map(({ clientId }) => clientId);
    expect(named).to.deep.equal(['svc_busy', 'svc_busy']);
  });

  it('are not to be had on the public port', async () => {
    expect((await fetch(`${api.baseUrl}/metrics`)).status).to.equal(404);
  });
});
