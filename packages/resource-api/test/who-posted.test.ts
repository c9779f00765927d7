import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { loadRecords } from './support/generated.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

const WHO = 'anna@agent.example';

interface Posting {
  readonly dealId: string;
  readonly journal: { readonly reason: string | null };
  readonly postedBy: string | null;
}

describeOnDatabase('who posted', (engine) => {
  let api: TestApi;
  const borrower = aParty('Borrower');
  const lender = aParty('Lender');
  const [own, other] = [aLoan(borrower, [lender]), aLoan(borrower, [lender])] as const;
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, [borrower, lender, ...own.all, ...other.all]);
    const amounts = [
      [undefined, '40.00'],
      [lender, '40.00'],
    ] as const;
    for (const loan of [own, other]) {
      const postings = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], amounts, {
        movement: 'advance',
      });
      const said = { reason: 'first drawing', createdBy: WHO };
      await loadRecords(api.database, [
        aJournal(loan.deal, 'advance', '2024-02-01', postings, said),
      ]);
    }
    const grants = sqlEntitlements(api.database);
    const both = { customer: 'bank', deals: { dealId: own.deal.id } } as const;
    await grants.grant({ ...both, role: 'agent', lenderId: undefined });
    for (const { deal } of [own, other]) {
      const deals = { dealId: deal.id };
      await grants.grant({ customer: 'bank', role: 'lender', lenderId: lender.id, deals });
      await grants.grant({ customer: 'lender', role: 'lender', lenderId: lender.id, deals });
      await grants.grant({ customer: 'owing', role: 'borrower', lenderId: undefined, deals });
    }
  });
  after(() => api?.stop());

  /** By deal, of the list, of its export and of the postings behind a balance. */
  const told = async (customer?: string) => {
    const claims = customer === undefined ? undefined : viewer(customer);
    const url = `${api.baseUrl}/api/v1/cls/balances`;
    const headers = { authorization: `Bearer ${await api.token(claims)}` };
    const ask = async (path: string, accept = 'application/json') =>
      await (await fetch(`${url}${path}`, { headers: { ...headers, accept } })).text();
    const list = JSON.parse(await ask('/principal/movements')) as { data: Posting[] };
    const lines = (await ask('/principal/movements', 'application/x-ndjson')).trim().split('\n');
    const exported = lines.map((line) => JSON.parse(line)).filter(({ journal }) => journal);
    const items = JSON.parse(await ask('/principal?expand=movements')) as {
      data: { movements: Posting[] }[];
    };
    const behind = items.data.flatMap(({ movements }) => movements);
    return [list.data, exported as Posting[], behind].map((postings) => {
      expect(postings.every(({ journal }) => journal.reason === 'first drawing')).to.equal(true);
      return Object.fromEntries(postings.map(({ dealId, postedBy }) => [dealId, postedBy]));
    });
  };

  for (const [who, customer, expected] of [
    ['callers with full control', undefined, [WHO, WHO]],
    ['the agent, of its own deals alone', 'bank', [WHO, null]],
    ['no lender', 'lender', [null, null]],
    ['no borrower', 'owing', [null, null]],
  ] as const) {
    it(`is shown to ${who}`, async () => {
      const byDeal = { [own.deal.id]: expected[0], [other.deal.id]: expected[1] };
      expect(await told(customer)).to.deep.equal([byDeal, byDeal, byDeal]);
    });
  }
});
