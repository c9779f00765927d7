import { silentLog } from '@cls/shared/log';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { startResourceApi } from '../src/compose.ts';
import { sqlFxRates } from '../src/fx/sql-fx-rates.ts';
import { lockJournal } from '../src/posting/post-journals.ts';
import { answerNow, currentLedger, sharedLookUp } from '../src/questions/ask/current-ledger.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { apiConfig, startTestApi, type TestApi, viewer } from './support/api.ts';
import { date, importWorldBank, postPrincipal, statement } from './support/book.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const PRINCIPAL = '/api/v1/cls/balances/principal';
const loan = {
  'Loan Number': 'A',
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
};

describeOnDatabase('an answer without knownAt', (engine) => {
  let api: TestApi;
  /** Of every replica; an embedded database has one. */
  let baseUrls: readonly string[];
  let stopReplica = async () => {};
  before(async () => {
    api = await startTestApi(engine);
    await importWorldBank(api.database, statement('01/31/2025', [loan]));
    baseUrls = [api.baseUrl];
    if (engine.name === 'PostgreSQL') {
      const replica = await startResourceApi(apiConfig(api.location, api.jwks.url), silentLog);
      stopReplica = () => replica.stop();
      baseUrls = [api.baseUrl, `http://127.0.0.1:${replica.port}`];
    }
  });
  after(async () => {
    await stopReplica();
    await api?.stop();
  });

  const askAll = async (query: string, claims = {}): Promise<readonly Json[]> => {
    const token = await api.token(claims);
    return Promise.all(
      baseUrls.map(async (baseUrl) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${baseUrl}${PRINCIPAL}?${query}`, { headers })).json();
      }),
    );
  };

  it('knows each journal that was committed before it was asked, on every replica', async () => {
    for (let n = 1; n <= 25; n += 1) {
      await postPrincipal(api.database, 'A', 'advance', '2025-01-31', 100n);
      for (const { data } of await askAll('')) {
        expect(data[0].global.closing).to.equal(`${100 + n}.00`);
      }
    }
  });

  it('is of one day, also where midnight passes while it is made', async () => {
    const instants = ['2025-02-01T23:59:59.999Z'];
    const clock = { now: () => new Date(instants.shift() ?? '2025-02-02T00:00:00Z') };
    const ledger = currentLedger(sqlBalanceStore(api.database), clock);
    const answer = await answerNow(ledger, async ({ today }) => ({ today }));
    expect([answer.today, answer.edition.today]).to.deep.equal(['2025-02-01', '2025-02-01']);
  });

  it('knows each grant and each revocation', async () => {
    const grants = sqlEntitlements(api.database);
    for (let n = 0; n < 5; n += 1) {
      const rule = await grants.grant({
        customer: 'someone',
        role: 'borrower',
        lenderId: undefined,
        deals: { allDeals: true },
      });
      for (const { data } of await askAll('', viewer('someone'))) expect(data.length).to.equal(1);
      await grants.revoke(rule?.rule ?? '');
      for (const { data } of await askAll('', viewer('someone'))) expect(data.length).to.equal(0);
    }
  });

  it('knows each exchange rate', async () => {
    for (const rate of ['0.9', '0.8', '0.7']) {
      const day = date('2025-01-31');
      await sqlFxRates(api.database).add({ date: day, from: 'USD', to: 'EUR', rate, source: 'x' });
      for (const { data } of await askAll('reportingCurrency=EUR')) {
        expect(data[0].reporting.rate).to.equal(rate);
      }
    }
  });

  it('does not wait for a posting that is under way, and does not know it', async function () {
    if (engine.name === 'PGlite') this.skip(); // One session: a question waits for its turn.
    const [before] = await askAll('');
    await api.database.transaction(async (transaction) => {
      const seq = await lockJournal(transaction);
      await transaction.query(
        `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key)
         SELECT $1, 'jrn_under_way', '2025-01-31', 'terms', min(key), 'under-way' FROM deal`,
        [seq],
      );
      expect(await askAll('')).to.deep.equal([before, before]);
    });
    for (const { meta } of await askAll('')) {
      expect(meta.ledgerSeq).to.equal(before.meta.ledgerSeq + 1);
    }
  });

  it('knows a journal that was committed after the same state of the book was answered from twice', async () => {
    let limit = 10;
    const askAnew = () => {
      limit += 1;
      return askAll(`limit=${limit}`);
    };
    for (let n = 1; n <= 5; n += 1) {
      const [{ meta }] = (await askAnew().then(askAnew)) as [Json];
      await postPrincipal(api.database, 'A', 'advance', '2025-01-31', 100n);
      for (const answer of await askAnew()) {
        expect(answer.meta.ledgerSeq).to.equal(meta.ledgerSeq + 1);
      }
    }
  });

  it('needs nobody who listens for changes', async function () {
    if (engine.name === 'PGlite') this.skip();
    const listening = await api.database.query(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND query ILIKE 'listen%'`,
    );
    expect(listening).to.deep.equal([]);
  });

  it('sees every kind of change by the generation of the book, which is another one then', async () => {
    const store = sqlBalanceStore(api.database);
    const changes: readonly (readonly [string, string])[] = [
      ['external_id', `INSERT INTO external_id VALUES ('x', 'y', 'z')`],
      ['period_close', `INSERT INTO period_close (through, reason) VALUES ('2001-01-01', 'x')`],
    ];
    for (const [name, sql] of changes) {
      const before = await store.generation();
      await api.database.query(sql);
      expect(await store.generation(), name).to.not.equal(before);
    }
  });
});

describe('a look-up that requests share', () => {
  it('begins after each of them came, one look-up at a time', async () => {
    let committed = 0;
    const slow: (() => void)[] = [];
    const lookUp = sharedLookUp(async () => {
      const seen = committed;
      await new Promise<void>((done) => slow.push(done));
      return seen;
    });
    const turn = () => new Promise((done) => setImmediate(done));
    committed = 1;
    const first = [lookUp(), lookUp()];
    await turn();
    expect(slow.length, 'one look-up for both').to.equal(1);
    committed = 2;
    const second = lookUp();
    await turn();
    expect(slow.length, 'the first has not ended').to.equal(1);
    committed = 3;
    const third = lookUp();
    slow[0]?.();
    expect(await Promise.all(first)).to.deep.equal([1, 1]);
    await turn();
    await turn();
    expect(slow.length, 'another one for those who came after it began').to.equal(2);
    slow[1]?.();
    expect(await Promise.all([second, third])).to.deep.equal([3, 3]);
  });

  it('fails for those who shared it, and not for the next', async () => {
    let fails = true;
    const lookUp = sharedLookUp(async () => {
      if (fails) throw new Error('down');
      return 'up';
    });
    const failed = await Promise.allSettled([lookUp(), lookUp()]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await lookUp()).to.equal('up');
  });
});
