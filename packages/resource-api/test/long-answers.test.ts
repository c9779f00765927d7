import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { anyEngine } from '@cls/testing/engines';
import { readExposition } from '@cls/testing/exposition';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';

const BALANCES = '/api/v1/cls/balances';
/** Some 5 MB: more than the machine's buffers take from a service whose caller reads nothing. */
const EXPORT = {
  path: `${BALANCES}?level=facility&expand=contracts`,
  accept: 'application/x-ndjson',
};
const CONTRACTS = 900;
/** Some 400 KB, and a tenth of it when it is compressed. */
const PAGE = { path: `${BALANCES}?level=position&limit=200`, accept: 'application/json' };
const CONTRACT = { path: '/api/v1/openapi.json', accept: 'application/json' };

describe('answers of more than 128 KiB', () => {
  let api: TestApi;
  /** Of one caller for all of them: what is kept is kept for a token's caller. */
  let token: string;
  before(async () => {
    const settings = { CALLER_LONG_ANSWERS: '1', METRICS_PORT: '0', ANSWER_TIMEOUT_S: '600' };
    api = await startTestApi(anyEngine, settings);
    await loadRecords(api.database, generated({ contracts: CONTRACTS, years: 0 }).records);
    token = await api.token();
  });
  after(() => api?.stop());

  const headersOf = (accept: string, encoding = 'identity') => ({
    ...{ authorization: `Bearer ${token}`, accept, 'accept-encoding': encoding },
  });
  const ask = ({ path, accept }: typeof PAGE, encoding?: string) =>
    fetch(`${api.baseUrl}${path}`, { headers: headersOf(accept, encoding) });
  /** An answer that is under way until it is destroyed. */
  const begin = async ({ path, accept }: typeof PAGE): Promise<IncomingMessage> => {
    const [response] = await once(
      get(`${api.baseUrl}${path}`, { headers: headersOf(accept) }),
      'response',
    );
    expect(response.statusCode).to.equal(200);
    response.on('error', () => undefined);
    return response;
  };
  const underWay = async () => {
    const { value } = await readExposition(api.metricsPort);
    return value('cls_long_answers_under_way');
  };
  const refused = async () => {
    const { value } = await readExposition(api.metricsPort);
    return value('cls_long_answers_refused_total', { limit: 'caller' }) ?? 0;
  };
  const whileRead = async (what: typeof PAGE, test: () => Promise<void>) => {
    // The last one has not ended for certain.
    await eventually(async () => expect(await underWay()).to.equal(0));
    const reading = await begin(what);
    try {
      await test();
    } finally {
      reading.destroy();
    }
  };

  it('are refused where the caller has as many as it may, and small ones are not', async () => {
    await whileRead(EXPORT, async () => {
      expect(await underWay()).to.equal(1);
      for (const what of [EXPORT, PAGE, { ...EXPORT, accept: 'text/csv' }]) {
        const refused = await ask(what);
        expect(refused.status, what.accept).to.equal(429);
        expect(Object.fromEntries(refused.headers)).to.include({
          ...{ 'retry-after': '5', 'content-type': 'application/problem+json' },
          'cache-control': 'no-store',
        });
        expect(refused.headers.has('etag')).to.equal(false);
        const body = (await refused.json()) as { code: string; detail: string };
        expect(body.code).to.equal('too_many_at_once');
        expect(body.detail).to.include('of more than 128 KiB are under way for this caller');
      }
      const small = { ...PAGE, path: `${BALANCES}?limit=1` };
      expect((await ask(small)).status).to.equal(200);
    });
  });

  it('are refused where they are kept, too', async () => {
    await eventually(async () => expect((await ask(PAGE)).status).to.equal(200));
    await whileRead(EXPORT, async () => {
      const before = await refused();
      expect((await ask(PAGE)).status).to.equal(429);
      expect(await refused()).to.equal(before + 1);
    });
    await eventually(async () => expect((await ask(PAGE)).status).to.equal(200));
  });

  it('are as long as they are sent: compressed, they are short', async () => {
    await whileRead(EXPORT, async () => {
      expect((await ask(PAGE, 'gzip')).status).to.equal(200);
    });
  });

  it('of the documentation are those of one caller', async () => {
    await whileRead(EXPORT, async () => {
      const [first] = await once(
        get(`${api.baseUrl}${CONTRACT.path}`, { headers: { 'accept-encoding': 'identity' } }),
        'response',
      );
      expect(first.statusCode).to.equal(200);
      first.destroy();
    });
  });
});
