import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { reversalOf } from './support/any-order.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { loadRecords } from './support/generated.ts';
import type { Claims } from './support/issuer.ts';
import { aCommitment, aJournal, aLoan, aParty, type BookRecord } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('a party of two deals, renamed by a journal of one of them', (engine) => {
  let api: TestApi;
  const [borrower, anna] = [aParty('Borrower'), aParty('Anna')];
  const [own, other] = [aLoan(borrower, [anna]), aLoan(borrower, [anna])];
  const ONLY_OWN = 'agent-of-one';
  const rename = aJournal(other.deal, 'terms', '2024-02-01', [], {
    details: [
      { party: borrower.id, name: 'Renamed' },
      { party: anna.id, name: 'Anne' },
    ],
  });
  const takenBack = takeBack(rename);

  before(async () => {
    api = await startTestApi(engine);
    const held = [
      [undefined, '100.00'],
      [anna, '100.00'],
    ] as const;
    const opened = [own, other].map((loan) => aCommitment(loan, '2024-01-02', held));
    await post([borrower, anna, ...own.all, ...other.all, ...opened]);
    await sqlEntitlements(api.database).grant({
      ...{ customer: ONLY_OWN, role: 'agent', lenderId: undefined },
      deals: { dealId: own.deal.id },
    });
  });
  after(() => api?.stop());

  const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const ask = async (path: string, claims?: Claims): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/${path}`, claims);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const LIST = 'balances?level=facility&asOf=2024-06-30&expand=lenders';

  for (const [what, journal, names] of [
    ['is renamed', rename, ['Renamed', 'Anne']],
    ['has its name again when that is taken back', takenBack, ['Borrower', 'Anna']],
    ['is renamed again', takeBack(takenBack), ['Renamed', 'Anne']],
  ] as const) {
    it(`${what} in both deals, for every caller, and in the changes of a copy`, async () => {
      const copy = await ask(LIST);
      await post([journal]);
      const callers = [undefined, viewer(ONLY_OWN)];
      for (const [index, claims] of callers.entries()) {
        const { data } = await ask(`${LIST}&dealId=${own.deal.id}`, claims);
        const told = [data[0].borrower.name, data[0].lenders[0].lender.name];
        expect(told, `caller ${index}`).to.deep.equal(names);
        const found = await ask(`${LIST}&dealId=${own.deal.id}&q=${names[0]}`, claims);
        expect(found.data, `caller ${index}`).to.have.length(1);
        const { data: deal } = await ask(`deals/${own.deal.id}?asOf=2024-06-30`, claims);
        expect(deal.borrower.name, `caller ${index}`).to.equal(names[0]);
      }
      const since = `updatedSince=${copy.meta.knownAt}&sinceAsOf=${copy.meta.asOf}`;
      const changed = await ask(`${LIST}&${since}`);
      const whole = await ask(LIST);
      expect(changed.data).to.deep.equal(whole.data);
    });
  }
});

function takeBack(journal: JournalRecord): JournalRecord {
  return { ...reversalOf(journal), details: [] };
}
