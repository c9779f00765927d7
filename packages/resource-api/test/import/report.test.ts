import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { ImportReport, ImportRequest } from '../../src/import/import-report.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { reportText } from '../../src/import/report/report-text.ts';
import { date } from '../support/book.ts';
import {
  APRIL,
  importTape,
  MARCH,
  SYNDICATE,
  syndicateText,
} from '../support/lenders-statement.ts';

/** Sums of the column `Balance` by currency, in cents. */
function balancesOf(text: string): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const line of text.trim().split('\n').slice(1)) {
    const [, , , currency = '', balance = ''] = line.split(';');
    sums[currency] = (sums[currency] ?? 0n) + cents(balance);
  }
  return sums;
}
const cents = (amount: string) => BigInt(amount.replace('.', ''));

function expectToAddUp({ outstanding }: ImportReport, before: string, after: string): void {
  const [was, is] = [balancesOf(before), balancesOf(after)];
  expect(outstanding.length).to.be.greaterThan(0);
  for (const total of outstanding) {
    const { currency, newLoans, drawn, repaid, corrected } = total;
    const moved = [newLoans, drawn, repaid, corrected].reduce((sum, one) => sum + cents(one), 0n);
    expect(cents(total.before) + moved, currency).to.equal(cents(total.after));
    expect(cents(total.before), currency).to.equal(was[currency] ?? 0n);
    expect(cents(total.stated), currency).to.equal(is[currency] ?? 0n);
    expect(cents(total.after), currency).to.equal(cents(total.stated) + cents(total.vanished));
  }
}

describeOnDatabase('what a loan officer reads of a statement', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const withoutDigest = (report: ImportReport) =>
    reportText(report)
      .split('\n')
      .map((line) => line.replace(/[0-9a-f]{64}|imp_[0-9A-Z]{26}/g, '…'))
      .join('\n');

  it('of one that lacks the totals of many currencies: how many are not told', async () => {
    const codes = ['EUR', 'USD', 'GBP', 'CHF', 'NOK', 'SEK'];
    const rows = codes.map((code) => `${code}1;Alder GmbH;Alpha Bank;${code};1.00`);
    const text = syndicateText(...rows, 'Total EUR;;;;1.00');
    const document = { ...SYNDICATE, totalsRow: 'Total' };
    const report = await importTape(database, text, '2025-03-31', { document, apply: false });
    expect(report.faultCount).to.equal(5);
    expect(reportText(report)).to.contain('no_totals_row: 2 more.');
  });

  it('of one that is looked at: that both the rows and a sum of the sender are demanded', async () => {
    const demands = async (expected: ImportRequest['expected']) => {
      const request = { apply: false, withoutTotals: undefined, expected };
      const report = await importTape(database, MARCH, '2025-03-31', request);
      expect(report.outcome).to.equal('valid');
      return reportText(report).includes('It then demands the sender’s totals');
    };
    const sums = { 'due:EUR': '1250000.50' };
    expect(await demands({ sums: {} })).to.equal(true);
    expect(await demands({ rows: 5, sums: {} })).to.equal(true);
    expect(await demands({ sums })).to.equal(true);
    expect(await demands({ rows: 5, sums })).to.equal(false);
  });

  it('of a first one: what is new, in each currency', async () => {
    const report = await importTape(database, MARCH, '2025-03-31');
    expectToAddUp(report, '', MARCH);
    expect(withoutDigest(report)).to.equal(`\
STATEMENT OF 2025-03-31: APPLIED
It is import ….
To take it back: cls-api imports revert … --apply
File      statement.csv
Profile   syndicate
Rows      5
Journals  8 with 63 postings; 4 new loans
SHA-256   …

OUTSTANDING PRINCIPAL
Currency  Step                Loans        Amount
EUR       In the book before      0          0.00
EUR       New loans               2  1,250,000.50
EUR       In the book after       2  1,250,000.50
USD       In the book before      0          0.00
USD       New loans               2  1,077,000.00
USD       In the book after       2  1,077,000.00

WHAT CHANGED
Change     Loans  First of them  In the book
New loans      4  L1; L2; L3; …  booked on the statement’s date

LARGEST DIFFERENCES
Outstanding principal of the loans that change most.
Currency  Loan  Before         After    Difference
EUR       L1      0.00  1,000,000.00  1,000,000.00
EUR       L2      0.00    250,000.50    250,000.50
USD       L3      0.00  1,000,000.00  1,000,000.00
USD       L4      0.00     77,000.00     77,000.00

CONTROL TOTALS
The sender’s totals were not demanded: a test.
Total                      Sender          File  Result
outstanding principal EUR          1,250,000.50  not compared
outstanding principal USD          1,077,000.00  not compared`);
  });

  it('of a later one: drawn, repaid, sold, new and gone, beside the sender’s totals', async () => {
    const expected = { rows: 5, sums: { 'due:EUR': '1300000.50' } };
    const report = await importTape(database, APRIL, '2025-04-30', {
      expected,
      withoutTotals: undefined,
    });
    expectToAddUp(report, MARCH, APRIL);
    const { changes: sold } = report.changes.find(({ kind }) => kind === 'transferred') ?? {};
    expect(sold).to.deep.equal([
      { loan: 'L1', field: 'transferred', before: '', after: '100000.00' },
    ]);
    const text = withoutDigest(report);
    expect(text.slice(text.indexOf('OUTSTANDING'))).to.equal(`\
OUTSTANDING PRINCIPAL
Currency  Step                        Loans        Amount
EUR       In the book before              2  1,250,000.50
EUR       Drawn                           1     50,000.00
EUR       In the book after               2  1,300,000.50
EUR       Of it sold between lenders      1    100,000.00
USD       In the book before              2  1,077,000.00
USD       New loans                       1     10,000.00
USD       Repaid                          1   -100,000.00
USD       In the book after               3    987,000.00
USD       Of it not in the statement      1     77,000.00
USD       Of it in the statement          2    910,000.00

WHAT CHANGED
Change                      Loans  First of them                 In the book
New loans                       1  L5                            booked on the statement’s date
No longer in the statement      1  L4 77,000.00                  the book keeps them
Drawn                           1  L2 250,000.50 → 300,000.50    booked as an advance
Repaid                          1  L3 1,000,000.00 → 900,000.00  booked as a repayment
Sold between lenders            1  L1 100,000.00                 booked as a transfer

LARGEST DIFFERENCES
Outstanding principal of the loans that change most.
Currency  Loan        Before       After   Difference
EUR       L2      250,000.50  300,000.50    50,000.00
USD       L3    1,000,000.00  900,000.00  -100,000.00
USD       L5            0.00   10,000.00    10,000.00

CONTROL TOTALS
Total                            Sender          File  Result
rows                                  5             5  agree
outstanding principal EUR  1,300,000.50  1,300,000.50  agree
outstanding principal USD                  910,000.00  not compared`);
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(100);
  });

  it('that changes a deal of several: in which facility and drawing', async () => {
    const document: ImportProfileDocument = {
      ...SYNDICATE,
      ...{ name: 'places', source: 'places', rowIs: 'loan', currency: 'EUR' },
      columns: {
        ...{ dealNumber: ['Deal'], facilityNumber: ['Facility'], loanNumber: ['Drawing'] },
        ...{ limit: ['Limit'], due: ['Balance'] },
      },
      derive: { undisbursed: 'limit - due' },
    };
    const text = (...rows: readonly string[]) =>
      ['Deal;Facility;Drawing;Limit;Balance', ...rows, ''].join('\n');
    const last = ['D2;F1;A;9.00;4.00', 'D2;F2;A;9.00;6.00'];
    const march = text(
      'D1;F1;A;100.00;10.00',
      'D1;F1;B;100.00;20.00',
      'D1;F2;A;50.00;5.00',
      ...last,
    );
    const april = text('D1;F1;A;90.00;15.00', 'D1;F1;B;90.00;12.00', 'D1;F2;A;50.00;6.00');
    await importTape(database, march, '2025-03-31', { document });
    const report = await importTape(database, april, '2025-04-30', { document });
    const changes = report.changes.filter(({ kind }) => kind !== 'undisbursed_gap');
    const told = changes.map(({ kind, loans, changes }) => [
      ...[kind, loans],
      ...changes.map(({ loan, before, after }) => `${loan} ${before} ${after}`),
    ]);
    expect(told).to.deep.equal([
      ['vanished', 1, 'D2/F1 4.00 ', 'D2/F2 6.00 '],
      ['drawn', 1, 'D1/F1/A 10.00 15.00', 'D1/F2/A 5.00 6.00'],
      ['repaid', 1, 'D1/F1/B 20.00 12.00'],
      ['limit_changed', 1, 'D1/F1 100.00 90.00'],
    ]);
    expect(report.largest.map(({ loan, before, after }) => [loan, before, after])).to.deep.equal([
      ['D1/F1', '30.00', '27.00'],
      ['D1/F2', '5.00', '6.00'],
    ]);
  });

  it('that is refused: each kind of fault once, with its rows and what to do', async () => {
    const text = APRIL.replaceAll('500000.00', '5x').replace('USD;900', 'US$;900');
    const report = await importTape(database, text, '2025-05-31');
    expect([report.outcome, report.faultCount]).to.deep.equal(['refused', 3]);
    const told = withoutDigest(report);
    expect(told.slice(told.indexOf('FAULTS'))).to.equal(`\
FAULTS
What                        Column    Times  First of them               What to do
Invalid amount              Balance       2  row 2 “5x”, row 3 “5x”:     Declare how amounts are
(invalid_amount)                             expected a decimal such as  written: decimalSeparator,
                                             1234.56                     thousandsSeparator, marks.
Unknown currency            Currency      1  row 5 “US$”: expected an    Use ISO 4217 codes, or
(unknown_currency)                           ISO 4217 code such as EUR;  declare one currency.
                                             if this stands for one,
                                             declare currencyMarks: {
                                             'US$': … }`);
  });

  it('that a check refuses: why, what it would change, and what to type to accept it', async () => {
    const before = await database.query('SELECT count(*) FROM journal');
    const text = syndicateText(...APRIL.trim().split('\n').slice(1, 5));
    const report = await importTape(database, text, '2026-04-30');
    expect([report.outcome, report.importId]).to.deep.equal(['refused', undefined]);
    const told = withoutDigest(report);
    expect(told).to.include(
      "\nTo apply although it is unlikely, give the reason: --accept 'date_beyond_today=REASON'\n",
    );
    expect(told).to.match(/No longer in the statement +2 /);
    expect(await database.query('SELECT count(*) FROM journal')).to.deep.equal(before);
    const today = date('2025-04-01');
    const again = await importTape(database, APRIL, '2025-04-30', { today });
    expect(again.outcome, 'what is in the book stays so').to.equal('applied_before');
    expect(withoutDigest(again)).to.include(
      '\nTo read it anew, take it back first: cls-api imports revert … --apply\n',
    );
  });

  it('how often a tolerance was used, and which sums were not checked, and why', async () => {
    const document = {
      ...SYNDICATE,
      name: 'sums',
      source: 'sums',
      rowIs: 'loan' as const,
      columns: {
        loanNumber: ['Loan'],
        currency: ['Currency'],
        due: ['Balance'],
        undisbursed: ['Undrawn'],
        limit: ['Limit'],
        held: ['Held'],
      },
      identities: [
        { field: 'limit' as const, is: 'due + undisbursed', tolerance: '0.05' },
        { field: 'held' as const, is: 'due', off: 'the sender counts it otherwise' },
      ],
    };
    const rows = [
      'A;EUR;60.00;40.03;100.00;60.00',
      'B;EUR;5.00;0.00;5.00;9.00',
      'C;EUR;5.02;0.00;5.00;8.00',
    ];
    const text = ['Loan;Currency;Balance;Undrawn;Limit;Held', ...rows, ''].join('\n');
    const report = await importTape(database, text, '2025-03-31', { document });
    expect(
      report.warningKinds.map(({ code, column, count }) => [code, column, count]),
    ).to.deep.equal([
      ['rounding_gap', 'Limit', 2],
      ['identity_off', 'Held', 2],
    ]);
    const told = reportText(report).replaceAll(/\s+/g, ' ');
    expect(told)
      .to.include('SUMS THAT WERE NOT CHECKED EXACTLY')
      .and.include('the sender counts it');
    expect(told).not.to.include('WARNINGS');
  });

  it('keeps control characters of a file from the terminal', async () => {
    const report = await importTape(
      database,
      MARCH.replace('400000', '\u001b[2J\u202e4000'),
      '2025-05-31',
    );
    const told = reportText(report);
    expect(told).to.include('“\\u{1b}[2J\\u{202e}4000.00”');
    expect(told.includes('\u001b') || told.includes('\u202e')).to.equal(false);
  });
});
