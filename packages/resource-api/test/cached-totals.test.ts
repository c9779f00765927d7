import type { Clock } from '@cls/shared/clock';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import type { PartyRecord } from '../src/journal-file/record.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { loadRecords } from './support/generated.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
const DAY_MS = 86_400_000;

describeOnDatabase('totals that are kept for a walk', (engine) => {
  let api: TestApi;
  let daysOn = 0;
  const clock: Clock = { now: () => new Date(Date.now() + daysOn * DAY_MS) };
  const [borrower, other, lender] = ['Borrower', 'Other', 'Lender'].map(aParty) as [
    PartyRecord,
    PartyRecord,
    PartyRecord,
  ];
  const loans = [borrower, borrower, other].map((party) => aLoan(party, [lender]));
  const [drawn, later, others] = loans as [Loan, Loan, Loan];

  before(async () => {
    api = await startTestApi(engine, {}, clock);
    const records = loans.flatMap(({ all }) => all);
    await loadRecords(api.database, [borrower, other, lender, ...records]);
    await loadRecords(api.database, [advance(drawn), advance(others)]);
    await sqlEntitlements(api.database).grant({
      ...{ customer: 'borrower', role: 'borrower', lenderId: undefined },
      deals: { borrowerId: borrower.id },
    });
  });
  after(() => api?.stop());

  const advance = (loan: Loan) =>
    aJournal(
      loan.deal,
      'advance',
      '2024-02-01',
      entry(
        loan,
        ['PRINCIPAL_CASH', 'CASH_CLEARING'],
        [
          [undefined, '100.00'],
          [lender, '100.00'],
        ],
        { movement: 'advance' },
      ),
    );
  const ask = async (query: string, who: object = viewer('borrower')): Promise<Json> => {
    const iat = Math.floor(clock.now().getTime() / 1_000);
    const claims = { ...who, iat, exp: iat + 300 };
    const response = await api.get(`/api/v1/cls/balances?level=contract&${query}`, claims);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const expectTotals = async (query: string, count: number, who?: object) => {
    const { data, totals } = await ask(query, who);
    expect(data).to.have.length(count);
    expect(totals.map((total: Json) => total.count)).to.deep.equal([count]);
  };

  it('have what became known since the last question, where the next one asks for it', async () => {
    // From the second one on, a question begins where the book stood before.
    for (const asOf of ['2024-03-01', '2024-03-02', '2024-03-03']) {
      await expectTotals(`asOf=${asOf}`, 1);
    }
    await loadRecords(api.database, [advance(later)]);
    const [posted] = await api.database.query<{ at: string }>(
      `SELECT to_char(max(posted_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM journal`,
    );
    await expectTotals(`asOf=2024-03-01&knownAt=${posted?.at}`, 2);
  });

  it('have records that were booked without a journal, as pages do', async () => {
    const everybody = {};
    const expectCounts = async (own: number, all: number) => {
      // Once more, and once as another page: answers are kept, and totals.
      for (const more of ['', '', '&limit=50']) {
        await expectTotals(`includeZero=true${more}`, own);
        await expectTotals(`includeZero=true${more}`, all, everybody);
        await expectTotals(`includeZero=true&lenderId=${lender.id}${more}`, all, everybody);
      }
    };
    await expectCounts(2, 3);
    await loadRecords(api.database, aLoan(borrower, [lender]).all);
    await expectCounts(3, 4);
  });

  it('have a deal from the day on which its grant begins', async () => {
    const tomorrow = new Date(clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
    const { id } = others.deal;
    const details = [{ deal: id, name: 'Sold', borrower: borrower.id, country: 'US' }];
    await loadRecords(api.database, [aJournal(others.deal, 'terms', tomorrow, [], { details })]);
    await expectTotals('asOf=2024-03-01', 2);
    // As if the day had come: the database goes by its own clock.
    const begun = `UPDATE entitlement SET since = since - 1 WHERE isfinite(since)`;
    await api.database.execute(begun);
    daysOn = 1;
    await expectTotals('asOf=2024-03-01', 3);
  });
});

type Loan = ReturnType<typeof aLoan>;
