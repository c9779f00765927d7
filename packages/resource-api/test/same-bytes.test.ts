import { type Clock, epochSeconds } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { startResourceApi } from '../src/compose.ts';
import { apiConfig, startTestApi, type TestApi, viewer } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';

const KEYS = ['a', 'b'].map((letter) => letter.repeat(43)) as [string, string];
const DAY_MS = 86_400_000;
const loans = ['A', 'B', 'C'].map((number) => ({
  'Loan Number': number,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
}));

/** Days by which the service believes to be later than it is. */
let ahead = 0;
const clock: Clock = { now: () => new Date(Date.now() + ahead * DAY_MS) };
const dayFromNow = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describeOnDatabase('the same question', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine, { CURSOR_KEY: KEYS[0] }, clock);
    await importWorldBank(api.database, statement('01/31/2025', loans));
    await postPrincipal(api.database, 'A', 'advance', dayFromNow(2), 5_00n);
  });
  afterEach(() => {
    ahead = 0;
  });
  after(() => api?.stop());

  const get = async (query: string, claims = {}, baseUrl = api.baseUrl) => {
    const iat = epochSeconds(clock);
    const token = await api.token({ iat, exp: iat + 3_600, ...claims });
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${baseUrl}/api/v1/cls/balances${query}`, { headers });
  };
  /** Everything that a caller gets: body, validator, link. */
  const ask = async (query: string, claims = {}, baseUrl = api.baseUrl) => {
    const response = await get(query, claims, baseUrl);
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return { text, etag: response.headers.get('etag'), link: response.headers.get('link') };
  };
  const questions = [
    '?limit=1',
    '/principal?limit=1&sort=-outstanding',
    '/principal/movements?limit=1',
  ];

  it('has the same bytes on another day, cursor, validator and link included', async () => {
    for (const question of questions.map((one) => `${one}&asOf=2025-01-31`)) {
      const first = await ask(question);
      for (const days of [1, 2, 3, 40]) {
        ahead = days;
        expect(await ask(question), `${question} ${days} days later`).to.deep.equal(first);
      }
      ahead = 0;
    }
  });

  it('gets with asOf and knownAt of an answer the bytes of that answer, on any day', async () => {
    const grants = sqlEntitlements(api.database);
    await grants.grant({
      customer: 'one',
      role: 'borrower',
      lenderId: undefined,
      deals: { allDeals: true },
    });
    for (const claims of [{}, viewer('one')]) {
      for (const days of [0, 3]) {
        ahead = days;
        const now = JSON.parse((await ask('?limit=5', claims)).text);
        const { asOf, knownAt } = now.meta;
        expect(asOf).to.equal(days === 0 ? '2025-01-31' : dayFromNow(2));
        const times = `asOf=${asOf}&knownAt=${knownAt}`;
        ahead = 5;
        const { data, meta, totals } = JSON.parse((await ask(`?limit=5&${times}`, claims)).text);
        expect({ data, meta, totals }).to.deep.equal({
          data: now.data,
          meta: now.meta,
          totals: now.totals,
        });
      }
    }
  });

  it('walks on with a cursor of any age', async () => {
    const { page } = JSON.parse((await ask('?limit=1&asOf=2025-01-31')).text);
    const next = await ask(`?limit=1&cursor=${page.nextCursor}`);
    ahead = 400;
    expect(await ask(`?limit=1&cursor=${page.nextCursor}`)).to.deep.equal(next);
  });

  it('has the same bytes from another process with the same key', async () => {
    const first = await Promise.all(questions.map((one) => ask(`${one}&asOf=2025-01-31`)));
    const { page } = JSON.parse(first[0]?.text ?? '');
    const others = async (
      env: Record<string, string>,
      check: (baseUrl: string) => Promise<void>,
    ) => {
      const other = await startResourceApi(
        apiConfig(api.location, api.jwks.url, env),
        silentLog,
        clock,
      );
      try {
        await eventually(async () =>
          expect((await get('', {}, `http://127.0.0.1:${other.port}`)).status).not.to.equal(503),
        );
        await check(`http://127.0.0.1:${other.port}`);
      } finally {
        await other.stop();
      }
    };
    if (engine.name === 'PGlite') await api.stopService();
    ahead = 1;
    await others({ CURSOR_KEY: KEYS[0] }, async (baseUrl) => {
      const again = await Promise.all(
        questions.map((one) => ask(`${one}&asOf=2025-01-31`, {}, baseUrl)),
      );
      expect(again).to.deep.equal(first);
    });
    // A key that is being replaced: its cursors stay good, and new ones are signed with the new key.
    await others({ CURSOR_KEY: KEYS[1], PREVIOUS_CURSOR_KEY: KEYS[0] }, async (baseUrl) => {
      await ask(`?limit=1&cursor=${page.nextCursor}`, {}, baseUrl);
      expect(await ask(`${questions[0]}&asOf=2025-01-31`, {}, baseUrl)).not.to.deep.equal(first[0]);
    });
    await others({ CURSOR_KEY: KEYS[1] }, async (baseUrl) => {
      const refused = await get(`?cursor=${page.nextCursor}`, {}, baseUrl);
      expect(((await refused.json()) as { code: string }).code).to.equal('invalid_cursor');
    });
  });
});
