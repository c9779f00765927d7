import { postgresThroughPgbouncer, requirePgbouncer } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';

const loan = (number: string, country: string) => ({
  'Loan Number': number,
  'Country / Economy Code': country,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
});

describe('the API on a database behind pgbouncer', () => {
  let api: TestApi;
  before(async function () {
    await requirePgbouncer(this);
    api = await startTestApi(postgresThroughPgbouncer);
    const book = statement('01/31/2025', [loan('A', 'IN'), loan('B', 'UA')]);
    expect((await importWorldBank(api.database, book)).outcome).to.equal('applied');
    await sqlEntitlements(api.database).grant({
      ...{ customer: 'india', role: 'borrower', lenderId: undefined },
      deals: { country: 'IN' },
    } as never);
  });
  after(() => api?.stop());

  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as its caller reads it.
  const read = async (query: string, claims = {}): Promise<any> => {
    const response = await api.get(`/api/v1/cls/balances${query}`, claims);
    expect(response.status, await response.clone().text()).to.equal(200);
    return response.json();
  };

  it('keeps callers apart, however many ask at once over shared sessions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => read(`?limit=${n + 1}`, n % 2 ? viewer('india') : {})),
    );
    expect(answers.map(({ data }) => data.length)).to.deep.equal(
      answers.map((_, n) => (n % 2 ? 1 : Math.min(n + 1, 2))),
    );
    for (const [n, { data }] of answers.entries()) {
      if (n % 2) expect(data[0].borrower.country).to.equal('IN');
    }
    expect((await read('', viewer('nobody'))).data).to.deep.equal([]);
  });

  it('knows each journal that was committed before it was asked', async () => {
    for (let n = 1; n <= 5; n += 1) {
      await postPrincipal(api.database, 'A', 'advance', '2025-01-31', 100n);
      const { data } = await read('?country=IN');
      expect(data[0].global.principal.outstanding).to.equal(`${100 + n}.00`);
    }
  });
});
