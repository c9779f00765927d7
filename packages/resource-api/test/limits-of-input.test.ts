import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { readProfile } from '../src/cli/read-profile.ts';
import { importStatement } from '../src/import/import-statement.ts';
import { sqlBook } from '../src/import/sql/sql-book.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { BookIsFull } from '../src/journal-file/volumes.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date, statement, textSource } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { aCommitment, aJournal, aLoan, aParty, entry } from './support/records.ts';

const LISTS = [
  '/cls/balances',
  '/cls/balances/principal',
  '/cls/balances/principal/movements',
  '/cls/balances/totals',
  '/cls/facets',
  '/cls/balances/principal/series',
];

// What the contract takes, the store takes: everything else is refused by its reader, with its place.
describeOnEngines('input beyond what a store can keep', (engine) => {
  let api: TestApi;
  const borrower = aParty('Borrower');
  const anna = aParty('Anna');
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, [borrower, anna]);
  });
  after(() => api?.stop());

  const faultOf = async (path: string) => {
    const answer = await api.get(`/api/v1${path}`);
    const { errors } = (await answer.json()) as { errors?: { parameter: string; code: string }[] };
    return [answer.status, ...(errors ?? []).map(({ parameter, code }) => `${parameter} ${code}`)];
  };

  for (const path of LISTS) {
    it(`is refused as a parameter of ${path}`, async () => {
      for (const odd of ['ext:a:%00', 'ext:%00:a', 'ext:a:%ED%A0%80', '%FF']) {
        for (const name of ['dealId', 'borrowerId', 'lenderId']) {
          const fault = await faultOf(`${path}?${name}=${odd}`);
          expect(fault, `${name}=${odd}`).to.deep.equal([400, `${name} invalid_parameter`]);
        }
      }
      expect(await faultOf(`${path}?q=ab%00`)).to.deep.equal([400, 'q invalid_parameter']);
      expect(await faultOf(`${path}?knownAt=9999-12-31T23:59:59-23:59`)).to.deep.equal([
        400,
        'knownAt invalid_instant',
      ]);
    });
  }

  it('is refused as an amount beyond 64 bits of minor units, whatever the currency', async () => {
    for (const [currency, most, beyond] of [
      ['USD', '92233720368547758.07', '92233720368547758.08'],
      ['JPY', '999999999999999999', ''],
      ['CLF', '922337203685477.5807', '922337203685477.5808'],
    ] as const) {
      for (const name of ['minOutstanding', 'maxOutstanding']) {
        const path = `/cls/balances?currency=${currency}&${name}=`;
        for (const sign of ['', '-']) {
          expect(await faultOf(`${path}${sign}${most}`)).to.deep.equal([200]);
          if (beyond === '') continue;
          expect(await faultOf(`${path}${sign}${beyond}`)).to.deep.equal([
            400,
            `${name} invalid_parameter`,
          ]);
        }
      }
    }
  });

  const load = (records: readonly object[], apply = true) =>
    importJournals(sqlJournals(api.database), { apply, lines: linesFrom(fileOf(records)) });
  const faultsOf = async (records: readonly object[]) => {
    const { faults, outcome } = await load(records);
    expect(outcome).to.equal('refused');
    return faults.map(({ line, field, code }) => [line, field, code]);
  };
  const both = (amount: string) =>
    [
      [undefined, amount],
      [anna, amount],
    ] as const;

  it('is refused in a journal file with its line and field', async () => {
    const { deal, all } = aLoan(borrower, [anna]);
    const odd = (change: Partial<JournalRecord>) =>
      aJournal(deal, 'terms', '2024-02-01', [], change);
    expect(
      await faultsOf([
        ...all,
        { ...aParty('a\0b'), legalName: '\ud800' },
        { ...aParty('\u200b'), externalIds: [{ source: 'a ', value: 'b\0' }] },
        { ...aParty('C'), externalIds: [{ source: 'core', value: 'x'.repeat(129) }] },
        odd({ idempotencyKey: 'nul\0' }),
        odd({ idempotencyKey: ' padded' }),
        odd({ idempotencyKey: '' }),
        odd({ idempotencyKey: 'a\u200bb' }),
        odd({ reason: '\udc00' }),
      ]),
    ).to.deep.equal([
      [5, 'name', 'invalid_record'],
      [5, 'legalName', 'invalid_record'],
      [6, 'name', 'invalid_record'],
      [6, 'externalIds.0.source', 'invalid_record'],
      [6, 'externalIds.0.value', 'invalid_record'],
      [7, 'externalIds.0.value', 'invalid_record'],
      [8, 'idempotencyKey', 'invalid_record'],
      [9, 'idempotencyKey', 'invalid_record'],
      [10, 'idempotencyKey', 'invalid_record'],
      [11, 'idempotencyKey', 'invalid_record'],
      [12, 'reason', 'invalid_record'],
    ]);
  });

  it('is refused as an amount, or a sum of amounts, that cannot be kept, with its line', async () => {
    const loan = aLoan(borrower, [anna]);
    const fields = (amount: string) => aCommitment(loan, '2024-01-01', both(amount));
    const tooLarge = await faultsOf([...loan.all, fields('92233720368547758.08')]);
    expect(tooLarge[0]).to.deep.equal([5, 'postings.0.amount', 'amount_too_large']);
    const most = await faultsOf([...loan.all, fields('92233720368547758.07')]);
    expect(most).to.deep.equal([[5, 'postings', 'amount_too_large']]);

    // Eight postings of each commitment: the book takes one, and no second one.
    const amount = '4500000000000000.00';
    expect((await load([...loan.all, fields(amount)])).outcome).to.equal('applied');
    const other = aLoan(borrower, [anna]);
    const second = aCommitment(other, '2024-01-01', both(amount));
    expect(await faultsOf([...other.all, fields('1.00'), second])).to.deep.equal([
      [6, 'postings', 'amount_too_large'],
    ]);
    const drawn = aJournal(loan.deal, 'letter_of_credit', '2024-01-02', [
      ...entry({ facility: loan.facility }, ['LETTER_OF_CREDIT', 'MEMO'], both('0.01')),
      ...entry({ facility: loan.facility }, ['UNFUNDED', 'MEMO'], both('-0.01')),
    ]);
    expect((await load([drawn])).outcome).to.equal('applied');
    for (const path of LISTS) expect(await faultOf(path)).to.deep.equal([200]);
  });

  it('is refused as a statement of loans that the book has no room for, with row and field', async () => {
    const profile = { ...readProfile('world-bank-ibrd'), currency: 'EUR' };
    const amount = '2000000000000000.00';
    const imported = (day: string, ...loans: string[]) => {
      const rows = loans.map((loan) => ({
        ...{
          'Loan Number': loan,
          'Original Principal Amount': amount,
          'Undisbursed Amount': amount,
        },
        ...{ 'Loans Held': amount, 'Currency of Commitment': 'EUR' },
      }));
      const source = textSource(statement(day, rows));
      const totals = { expected: { sums: {} }, withoutTotals: 'a test' };
      return importStatement(sqlBook(api.database), { source, profile, ...totals, apply: true });
    };
    expect((await imported('01/31/2025', 'E1')).outcome).to.equal('applied');
    expect((await imported('02/28/2025', 'E2')).outcome).to.equal('applied');
    const { outcome, faults } = await imported('03/31/2025', 'E3');
    expect(outcome).to.equal('refused');
    expect(faults.map(({ row, column, code }) => [row, column, code])).to.deep.equal([
      [2, 'originalPrincipal', 'amount_too_large'],
    ]);
  });

  it('is refused as a bill that the book has no room for', async () => {
    const loan = aLoan(borrower, [anna], { currency: 'GBP' });
    const onLoan = { facility: loan.facility.id, contract: loan.contract.id };
    const drawn = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both('9000000000000000.00'), {
      movement: 'advance',
    });
    const rates = [
      { ...onLoan, component: 'interest' as const, startDate: date('2024-01-01'), allInRate: '10' },
    ];
    await loadRecords(api.database, [
      ...loan.all,
      aJournal(loan.deal, 'advance', '2024-01-01', drawn, { rates }),
    ]);
    const request = { through: date('2024-02-01'), dueDate: date('2024-02-06'), apply: true };
    const fault = await billAccruals(sqlBilling(api.database), request).catch((error) => error);
    expect(fault).to.be.instanceOf(BookIsFull);
    expect(fault.message).to.include('all postings of the book in GBP');
  });
});
