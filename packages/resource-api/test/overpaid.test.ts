import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('a loan that was repaid beyond its debt', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine);
  });
  after(() => api?.stop());

  const borrower = aParty('Borrower');
  const lender = aParty('Lender');
  const load = (records: readonly object[]) =>
    importJournals(sqlJournals(api.database), { apply: true, lines: linesFrom(fileOf(records)) });
  const moved = (
    loan: ReturnType<typeof aLoan>,
    day: string,
    movement: 'advance' | 'voluntary_prepayment',
    amount: string,
  ): JournalRecord =>
    aJournal(loan.deal, movement, day, [
      ...entry(
        loan,
        ['PRINCIPAL_CASH', 'CASH_CLEARING'],
        [
          [undefined, amount],
          [lender, amount],
        ],
        { movement },
      ),
    ]);
  const rate = ({ deal, facility, contract }: ReturnType<typeof aLoan>) =>
    aJournal(deal, 'rate_set', '2024-01-02', [], {
      rates: [
        {
          ...{ facility: facility.id, contract: contract.id, component: 'interest' },
          ...{ startDate: date('2024-01-02'), allInRate: '0.06' },
        },
      ],
    });
  const item = async (
    loan: ReturnType<typeof aLoan>,
    level: string,
    asOf: string,
  ): Promise<Json> => {
    const query = `dealId=${loan.deal.id}&level=${level}&asOf=${asOf}&includeZero=true`;
    const response = await api.get(`/api/v1/cls/balances?${query}`);
    return ((await response.json()) as Json).data[0];
  };

  it('accrues interest on debt alone, bills that, and is warned of', async () => {
    const loan = aLoan(borrower, [lender]);
    const start = [borrower, lender, ...loan.all];
    const report = await load([
      ...start,
      moved(loan, '2024-01-02', 'advance', '1000000.00'),
      rate(loan),
      moved(loan, '2024-03-01', 'voluntary_prepayment', '-1100000.00'),
    ]);
    expect(report.outcome).to.equal('applied');
    expect(
      report.warnings.map(({ line, field, code }) => [line - start.length, field, code]),
    ).to.deep.equal([[3, 'postings.0.amount', 'overpaid']]);
    for (const asOf of ['2024-03-01', '2024-08-31']) {
      const { global, lenders, warnings } = await item(loan, 'contract', asOf);
      // 59 days of 1,000,000.00 at 6 %.
      expect([global, lenders[0]].map(({ interest }) => interest.accrued)).to.deep.equal([
        '9833.33',
        '9833.33',
      ]);
      expect(global.principal.outstanding).to.equal('-100000.00');
      expect(warnings).to.deep.equal(['negative_outstanding']);
    }
    const response = await api.get(
      `/api/v1/cls/balances/totals?dealId=${loan.deal.id}&asOf=2024-08-31`,
    );
    const { totals } = (await response.json()) as Json;
    expect([totals[0].interestAccrued, totals[0].warnings]).to.deep.equal(['9833.33', 1]);
    const through = date('2024-08-31');
    const billed = await billAccruals(sqlBilling(api.database), {
      ...{ through, dueDate: through, apply: true },
    });
    expect(billed.sums.map(({ amount }) => amount)).to.deep.equal(['9833.33']);
  });

  it('is found at the level of a deal, where another contract owes more', async () => {
    const loan = aLoan(borrower, [lender]);
    const contract = {
      ...loan.contract,
      id: loan.contract.id.replace(/.{3}$/, '777'),
      contractNumber: '2',
    };
    const other = { ...loan, contract };
    const report = await load([
      ...[...loan.all, contract],
      moved(other, '2024-01-02', 'advance', '5000.00'),
      moved(loan, '2024-01-02', 'advance', '1000.00'),
      moved(loan, '2024-02-01', 'voluntary_prepayment', '-1000.00'),
    ]);
    expect(report.warnings).to.deep.equal([]);
    expect((await item(loan, 'deal', '2024-03-01')).warnings).to.deep.equal([]);
    // The book has what this is more than.
    const again = await load([moved(loan, '2024-02-01', 'voluntary_prepayment', '-0.01')]);
    expect(again.warnings.map(({ code }) => code)).to.deep.equal(['overpaid']);
    expect((await item(loan, 'deal', '2024-03-01')).warnings).to.deep.equal([
      'negative_outstanding',
    ]);
    expect((await item(loan, 'deal', '2024-03-01')).global.principal.outstanding).to.equal(
      '4999.99',
    );
  });

  it('is judged with what comes after it in the file', async () => {
    const loan = aLoan(borrower, [lender]);
    const report = await load([
      ...loan.all,
      moved(loan, '2024-02-01', 'voluntary_prepayment', '-1000.00'),
      moved(loan, '2024-01-02', 'advance', '1000.00'),
    ]);
    expect([report.outcome, report.warnings]).to.deep.equal(['applied', []]);
  });
});
