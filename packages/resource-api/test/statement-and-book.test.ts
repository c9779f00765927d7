import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { importStatement } from '../src/import/import-statement.ts';
import { type ImportProfileDocument, profileSchema } from '../src/import/profile/profile.ts';
import { sqlBook } from '../src/import/sql/sql-book.ts';
import { date, textSource } from './support/book.ts';
import { importTape } from './support/lenders-statement.ts';
import { expectReconciled } from './support/reconciled.ts';

const GROUPED = { dealNumber: ['Deal'], facilityNumber: ['Facility'], loanNumber: ['Loan'] };

describeOnDatabase('a later statement of a deal', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  const give = (columns: object, asOf: string, lines: readonly string[]) => {
    const profile = profileSchema.parse({
      name: 'grouped',
      title: 'Grouped',
      source: 'grouped',
      columns: { ...columns, currency: ['Currency'], due: ['Balance'] },
      lender: { externalId: 'OWN', name: 'Own Bank' },
    });
    const header = Object.values(profile.columns).flat().join(',');
    return importStatement(sqlBook(database), {
      source: textSource([header, ...lines, ''].join('\n')),
      profile,
      asOf: date(asOf),
      apply: true,
      expected: { sums: {} },
      withoutTotals: 'a test',
      today: date('2026-01-01'),
    });
  };

  it('in another currency than the book has the facility is refused', async () => {
    await give(GROUPED, '2025-01-31', ['D,F,1,EUR,10.00']);
    const { outcome, faults } = await give(GROUPED, '2025-02-28', ['D,F,1,USD,10.00']);
    expect(outcome).to.equal('refused');
    expect(faults).to.deep.equal([
      {
        row: 2,
        column: 'currency',
        code: 'differs_from_book',
        message: 'expected EUR, in which the book has this facility',
        value: 'USD',
      },
    ]);
  });

  it('in another currency, after the import in the wrong one was taken back, is booked anew', async () => {
    const loans = { loanNumber: ['Loan'] };
    const { importId = '' } = await give(loans, '2025-01-31', ['D,EUR,10.00']);
    await sqlBook(database).revert(importId, true);
    const right = await give(loans, '2025-01-31', ['D,USD,10.00']);
    expect([right.outcome, right.faults]).to.deep.equal(['applied', []]);
    const later = await give(loans, '2025-02-28', ['D,USD,11.00']);
    expect(later.outstanding[0]).to.include({ before: '10.00', drawn: '1.00', after: '11.00' });
    const wrong = await give(loans, '2025-03-31', ['D,EUR,11.00']);
    expect(wrong.faults.map(({ message }) => message)).to.deep.equal([
      'expected USD, in which the book has this facility',
    ]);
    for (const one of [later, right]) await sqlBook(database).revert(one.importId ?? '', true);
    const first = await give(loans, '2025-01-31', ['D,EUR,12.00']);
    expect(first.outstanding[0]).to.include({ currency: 'EUR', after: '12.00' });
    expect(first.outstanding).to.have.length(1);
    await expectReconciled(database);
  });

  it('by facilities in another currency, after the wrong one was taken back, needs other numbers', async () => {
    const { importId = '' } = await give(GROUPED, '2025-01-31', ['D,F,1,EUR,10.00']);
    await sqlBook(database).revert(importId, true);
    const { faults } = await give(GROUPED, '2025-01-31', ['D,F,1,USD,10.00']);
    expect(faults.map(({ message }) => message)).to.deep.equal([
      'expected EUR, which the facility of this number keeps though its import was taken back: give it another number',
    ]);
    const right = await give(GROUPED, '2025-01-31', ['D,F2,2,USD,10.00']);
    expect([right.outcome, right.faults]).to.deep.equal(['applied', []]);
    await expectReconciled(database);
  });

  for (const [title, first, second, message] of [
    [
      'that is one loan of the book, stated by facilities',
      [{ loanNumber: ['Loan'] }, 'D,EUR,10.00'],
      [GROUPED, 'D,F,1,EUR,10.00'],
      'expected no facility number, because the book has this deal as one loan: D',
    ],
    [
      'that has facilities in the book, stated as one loan',
      [GROUPED, 'D,F,1,EUR,10.00'],
      [{ loanNumber: ['Loan'] }, 'D,EUR,10.00'],
      'expected facilities, as the book has this deal: D/F',
    ],
  ] as const) {
    it(`${title}, is refused, because its money would be there twice`, async () => {
      expect((await give(first[0], '2025-01-31', [first[1]])).outcome).to.equal('applied');
      const { outcome, faults } = await give(second[0], '2025-02-28', [second[1]]);
      expect(outcome).to.equal('refused');
      const told = faults.map(({ code, message }) => [code, message]);
      expect(told).to.deep.equal([['differs_from_book', message]]);
    });
  }

  for (const [title, first, second] of [
    [
      'by facilities',
      [GROUPED, 'D,F,1,EUR,10.00'],
      [{ loanNumber: ['Loan'] }, 'D,EUR,10.00', 'D,EUR,11.00'],
    ],
    [
      'as one loan',
      [{ loanNumber: ['Loan'] }, 'D,EUR,10.00'],
      [GROUPED, 'D,F,1,EUR,10.00', 'D,F,1,EUR,11.00'],
    ],
  ] as const) {
    it(`that was stated ${title} in an import that was taken back, is taken`, async () => {
      const { importId = '' } = await give(first[0], '2025-01-31', [first[1]]);
      await sqlBook(database).revert(importId, true);
      expect((await give(second[0], '2025-01-31', [second[1]])).outcome).to.equal('applied');
      const later = await give(second[0], '2025-02-28', [second[2]]);
      expect([later.outcome, later.faults]).to.deep.equal(['applied', []]);
      expect(later.outstanding[0]).to.include({ before: '10.00', drawn: '1.00', after: '11.00' });
      await expectReconciled(database);
    });
  }

  for (const [title, due, undrawn] of [
    ['repaid', '50.00', '150.00'],
    ['sold back', '100.00', '100.00'],
  ] as const) {
    it(`without a participant that was booked, leaves it no commitment where all is ${title}`, async () => {
      const document: ImportProfileDocument = {
        ...{ name: 'sold', title: 'Sold', source: 'sold', currency: 'EUR' },
        ...{ lender: { externalId: 'BANK', name: 'Bank' }, facilityTypes: { '*': 'revolver' } },
        columns: { loanNumber: ['Loan'], due: ['Balance'], undisbursed: ['Undrawn'] },
      };
      const withSold: ImportProfileDocument = {
        ...{ ...document, participants: { externalId: 'THIRD', name: 'Third parties' } },
        columns: { ...document.columns, dueThirdParty: ['Sold'] },
      };
      const march = 'Loan,Balance,Undrawn,Sold\nS,60.00,100.00,40.00\n';
      await importTape(database, march, '2025-03-31', { document: withSold });
      const april = `Loan,Balance,Undrawn\nS,${due},${undrawn}\n`;
      const { outcome } = await importTape(database, april, '2025-04-30', { document });
      expect(outcome).to.equal('applied');
      const unfunded = Number(undrawn.replace('.', ''));
      expect(await commitments(database)).to.deep.equal([
        { name: 'Bank', committed: 20_000, unfunded },
      ]);
      await expectReconciled(database);
    });
  }

  it('of one lender takes what another could draw for sold, also where that one had drawn nothing', async () => {
    const document: ImportProfileDocument = {
      ...{ name: 'alone', title: 'Alone', source: 'alone', currency: 'EUR' },
      lender: { externalId: 'BANK', name: 'Bank' },
      columns: { loanNumber: ['Loan'], due: ['Balance'], undisbursed: ['Undrawn'] },
    };
    const byLender: ImportProfileDocument = {
      ...{ ...document, rowIs: 'lender' },
      columns: { ...document.columns, lender: ['Lender'] },
    };
    const march = 'Loan,Balance,Undrawn,Lender\nA,10.00,5.00,Bank\nA,0.00,14.00,Other\n';
    await importTape(database, march, '2025-03-31', { document: byLender });
    const april = 'Loan,Balance,Undrawn\nA,10.00,19.00\n';
    await importTape(database, april, '2025-04-30', { document });
    expect(await commitments(database)).to.deep.equal([
      { name: 'Bank', committed: 2_900, unfunded: 1_900 },
    ]);
    await expectReconciled(database);
  });

  const bySplit = (columns: object, derive = {}): ImportProfileDocument => ({
    ...{ name: 'split', title: 'Split', source: 'split', currency: 'EUR' },
    ...{ lender: { externalId: 'BANK', name: 'Bank' }, rowIs: 'lender', shareUnit: 'percent' },
    columns: {
      ...{ loanNumber: ['Loan'], lender: ['Lender'], lenderShare: ['Share'], due: ['Balance'] },
      ...columns,
    },
    derive,
  });
  for (const [title, document, header, amounts] of [
    [
      'its original amount',
      bySplit({
        ...{ originalPrincipal: ['Signed'], cancelled: ['Cancelled'] },
        undisbursed: ['Undrawn'],
      }),
      'Signed,Cancelled,Undrawn',
      '400.00,0.00,0.00',
    ],
    [
      'a limit that a repayment does not give back',
      bySplit({ limit: ['Limit'] }, { undisbursed: '0' }),
      'Limit',
      '400.00',
    ],
  ] as const) {
    it(`of a term loan repaid in part, stated with ${title}, leaves who sells and who buys nothing to draw`, async () => {
      const rows = (bank: number, other: number) =>
        [
          `Loan,Lender,Share,Balance,${header}`,
          `T,Bank,${bank},100.00,${amounts}`,
          `T,Other,${other},100.00,${amounts}`,
          '',
        ].join('\n');
      await importTape(database, rows(50, 50), '2025-03-31', { document });
      const { outcome } = await importTape(database, rows(25, 75), '2025-04-30', { document });
      expect(outcome).to.equal('applied');
      expect(await commitments(database)).to.deep.equal([
        { name: 'Bank', committed: 10_000, unfunded: 0 },
        { name: 'Other', committed: 30_000, unfunded: 0 },
      ]);
      await expectReconciled(database);
    });
  }

  it('of one lender and its participants takes what others held before for sold to it', async () => {
    const document: ImportProfileDocument = {
      ...{ name: 'taken', title: 'Taken', source: 'taken', currency: 'EUR' },
      ...{ lender: { externalId: 'BANK', name: 'Bank' } },
      columns: { loanNumber: ['Loan'], due: ['Balance'], undisbursed: ['Undrawn'] },
    };
    const byLender: ImportProfileDocument = {
      ...{ ...document, rowIs: 'lender' },
      columns: { ...document.columns, lender: ['Lender'] },
    };
    const withSold: ImportProfileDocument = {
      ...{ ...document, participants: { externalId: 'THIRD', name: 'Third parties' } },
      columns: { ...document.columns, dueThirdParty: ['Sold'] },
    };
    const march = 'Loan,Balance,Undrawn,Lender\nT,30.00,10.00,Bank\nT,60.00,20.00,Other\n';
    await importTape(database, march, '2025-03-31', { document: byLender });
    const april = 'Loan,Balance,Undrawn,Sold\nT,70.00,30.00,20.00\n';
    await importTape(database, april, '2025-04-30', { document: withSold });
    expect(await commitments(database)).to.deep.equal([
      { name: 'Bank', committed: 12_000, unfunded: 3_000 },
    ]);
    await expectReconciled(database);
  });

  it('has what a buyer drew and repaid since, also where nothing was drawn when it bought', async () => {
    const document: ImportProfileDocument = {
      ...{ name: 'buyer', title: 'Buyer', source: 'buyer', currency: 'EUR', rowIs: 'lender' },
      ...{ lender: { externalId: 'BANK', name: 'Bank' }, facilityTypes: { '*': 'revolver' } },
      columns: {
        ...{ loanNumber: ['Loan'], lender: ['Lender'], due: ['Balance'], limit: ['Limit'] },
        ...{ disbursed: ['Drawn'], repaid: ['Repaid'] },
      },
    };
    const header = 'Loan,Lender,Balance,Limit,Drawn,Repaid\n';
    const march = `${header}R,Bank,0.00,900.00,500.00,500.00\n`;
    await importTape(database, march, '2025-03-31', { document });
    const april = `${header}R,Other,0.00,900.00,600.00,600.00\n`;
    const report = await importTape(database, april, '2025-04-30', { document });
    expect(report.changes.map(({ kind }) => kind)).to.not.include('due_gap');
    expect(report.outstanding[0]).to.include({ drawn: '100.00', repaid: '-100.00' });
    await expectReconciled(database);
  });

  it('with a file of shares that are not a whole, or of no facility, says so', async () => {
    const profile = profileSchema.parse({
      name: 'shared',
      title: 'Shared',
      source: 'shared',
      columns: { loanNumber: ['Loan'], currency: ['Currency'], due: ['Balance'] },
      lender: { externalId: 'OWN', name: 'Own Bank' },
      shares: {
        columns: { loanNumber: ['Loan'], lender: ['Lender'], share: ['Share'] },
        unit: 'percent',
      },
    });
    const report = await importStatement(sqlBook(database), {
      source: textSource('Loan,Currency,Balance\nL1,EUR,10.00\n'),
      shares: textSource('Loan,Lender,Share\nL1,Own Bank,60\nL1,Second,30\nL2,Second,100\n'),
      profile,
      asOf: date('2025-01-31'),
      apply: true,
      expected: { sums: {} },
      today: date('2026-01-01'),
    });
    const codes = [report.faults, report.warnings].map((all) => all.map(({ code }) => code));
    expect(codes).to.deep.equal([['shares_do_not_add_up'], ['unused_share']]);
  });

  it('says which drawings and facilities with money it leaves out, and what they owe', async () => {
    const lines = ['D,F,1,EUR,10.00', 'D,F,2,EUR,5.00', 'D,F,3,EUR,0.00', 'D,G,1,EUR,7.00'];
    await give(GROUPED, '2025-01-31', lines);
    const { changes, outstanding } = await give(GROUPED, '2025-02-28', ['D,F,1,EUR,11.00']);
    const vanished = changes.find(({ kind }) => kind === 'vanished');
    expect(vanished?.changes.map(({ loan, before }) => [loan, before])).to.deep.equal([
      ['D/F/2', '5.00'],
      ['D/G/1', '7.00'],
    ]);
    expect(outstanding[0]).to.include({ before: '22.00', after: '23.00', vanished: '12.00' });
    expect(outstanding[0]).to.include({ drawn: '1.00', stated: '11.00' });
  });
});

/** Of lenders that have a commitment or can draw: in minor units. */
function commitments(database: Database) {
  return database.query(
    `SELECT y.name, (b.original_commitment - b.cancelled_commitment)::int AS committed,
       b.unfunded::int AS unfunded
     FROM balance_line l JOIN party y ON y.key = l.lender_key
     CROSS JOIN LATERAL (SELECT * FROM balance b WHERE b.line_key = l.key
       ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1) b
     WHERE l.contract_key = 0
       AND (b.unfunded <> 0 OR b.original_commitment <> b.cancelled_commitment)
     ORDER BY y.name`,
  );
}
