import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { importTape } from '../support/lenders-statement.ts';

const document: ImportProfileDocument = {
  name: 'totals',
  title: 'With a row of totals',
  source: 'totals',
  currency: 'EUR',
  lender: { externalId: 'BANK', name: 'Bank' },
  totalsRow: 'Total',
  columns: { loanNumber: ['Loan'], due: ['Balance'] },
};
const text = (...rows: readonly string[]) => ['Loan,Balance', ...rows, ''].join('\n');

describeOnDatabase('the totals of a sender', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const demanded = (given: string, request = {}) =>
    importTape(database, given, '2025-03-31', { document, withoutTotals: undefined, ...request });
  const faultsOf = async (given: string, request = {}) =>
    (await demanded(given, request)).faults.map(({ row, code }) => `${row} ${code}`);

  it('are demanded before anything is written, unless the last row of the file has them', async () => {
    expect(await faultsOf(text('A,1.00', 'Total,'))).to.deep.equal(['0 no_control_totals']);
    expect(await faultsOf(text('A,1.00', 'Total,'), { apply: false })).to.deep.equal([]);
    const { totalsRow: _, ...without } = document;
    expect(await faultsOf(text('A,1.00'), { document: without })).to.deep.equal([
      '0 no_control_totals',
    ]);
    expect(await faultsOf(text('A,1.00', 'Total,2.00'))).to.deep.equal(['3 control_total']);
    const report = await demanded(text('A,1.00', 'B,2.00', 'Total,3.00'));
    expect(report.outcome).to.equal('applied');
    expect(report.comparedTotals).to.deep.equal([{ name: 'due', sender: '3.00', file: '3.00' }]);
  });

  describe('in a row for each currency', () => {
    const { currency: _, ...rest } = document;
    const columns = { ...document.columns, currency: ['Currency'] };
    const ofCurrencies = { ...rest, ...{ name: 'currencies', source: 'currencies', columns } };
    const file = (...rows: readonly string[]) => ['Loan,Balance,Currency', ...rows, ''].join('\n');
    const rows = ['E1,1.00,EUR', 'E2,2.00,EUR', 'K1,4.000,KWD'];
    const read = (...more: readonly string[]) =>
      demanded(file(...rows, ...more), { document: ofCurrencies, apply: false });

    for (const [where, of] of [
      ['label', ['Total EUR,3.00,', 'Total KWD:,4.000,']],
      ['column of the currency', ['Total,3.00,EUR', 'Total,4.000,KWD']],
    ] as const) {
      it(`are compared with the rows of the currency that their ${where} names`, async () => {
        const report = await read(...of, 'As of today,,');
        expect(report.faults).to.deep.equal([]);
        expect(report.comparedTotals).to.deep.equal([
          { name: 'due:EUR', sender: '3.00', file: '3.00' },
          { name: 'due:KWD', sender: '4.000', file: '4.000' },
        ]);
      });
    }

    for (const [what, of, ...expected] of [
      [
        'another sum',
        ['Total EUR,3.01,', 'Total KWD,4.000,'],
        '5 control_total: the file states a total of 3.01; the rows in EUR add up to 3.00',
      ],
      [
        'no totals of a currency',
        ['Total EUR,3.00,'],
        '0 no_totals_row: expected a row of totals of KWD too, which begins with Total; the file may be cut',
      ],
      [
        'no totals of a currency before a last row without sums',
        ['Total EUR,3.00,', 'Total: 3 loans,,'],
        '0 no_totals_row: expected a row of totals of KWD too, which begins with Total; the file may be cut',
      ],
      [
        'loans between them',
        ['Total EUR,3.00,', 'U1,5.00,USD', 'Total USD,5.00,'],
        '6 totals_within: this row stands after a row of totals, and would be left out: the file may be cut; ' +
          'take rows of subtotals out by leaveOut',
        '7 totals_within: the rows of totals must follow each other at the end: rows before this one ' +
          'would be left out; take rows of subtotals out by leaveOut',
      ],
      [
        'loans after them, before whose totals the file is cut',
        ['Total EUR,3.00,', 'Total KWD,4.000,', 'U1,5.00,USD', 'U2,6.00,USD'],
        '7 totals_within: this row stands after a row of totals, and would be left out: the file may be cut; ' +
          'take rows of subtotals out by leaveOut',
      ],
    ] as const) {
      it(`are refused with ${what}`, async () => {
        const { faults } = await read(...of);
        expect(faults.map(({ row, code, message }) => `${row} ${code}: ${message}`)).to.deep.equal(
          expected,
        );
      });
    }

    it('may have rows between them that the profile leaves out', async () => {
      const leaveOut = [{ column: 'Loan', values: ['Average'] }];
      const more = ['Total EUR,3.00,', 'Average,1.50,EUR', 'Total KWD,4.000,'];
      const request = { document: { ...ofCurrencies, leaveOut }, apply: false };
      expect((await demanded(file(...rows, ...more), request)).faults).to.deep.equal([]);
    });

    it('tell loans that would be lost below the subtotal of a currency', async () => {
      const { faults, warnings } = await demanded(
        file('E1,1.00,EUR', 'Total,1.00,EUR', 'E2,2.00,EUR', 'Grand Total,3.00,EUR'),
        { document: ofCurrencies, apply: false },
      );
      expect(faults.map(({ row, code }) => `${row} ${code}`)).to.deep.equal([
        '4 totals_within',
        '5 totals_within',
      ]);
      expect(warnings).to.deep.equal([]);
    });

    it('may lack where a last row has the sums of all', async () => {
      expect((await read('Total EUR,3.00,', 'Total,7.000,')).faults).to.deep.equal([]);
    });
  });

  describe('in a last row', () => {
    const dated = { ...document, columns: { ...document.columns, asOf: ['Date'] } };
    const file = (...rows: readonly string[]) => ['Loan,Balance,Date', ...rows, ''].join('\n');
    const read = (of: ImportProfileDocument, ...rows: readonly string[]) =>
      demanded(file(...rows), { document: of, apply: false });
    const told = (found: readonly { readonly row: number; readonly code: string }[]) =>
      found.map(({ row, code }) => `${row} ${code}`);

    it('do not hide that rows have several dates', async () => {
      const rows = ['A,1.00,2025-03-31', 'B,2.00,2025-02-28', 'Total,3.00,'];
      expect(told((await read(dated, ...rows)).faults)).to.deep.equal(['3 mixed_dates']);
      const only = { ...dated, asOfRows: 'only' as const };
      const { faults, warnings } = await read(only, ...rows.slice(0, 2), 'Total,1.00,');
      expect(told(faults)).to.deep.equal([]);
      expect(told(warnings)).to.deep.equal(['0 rows_left_out']);
    });

    it('do not hide that the date is not given, of which there is one', async () => {
      const only = { ...dated, asOfRows: 'only' as const };
      const given = file('A,1.00,2025-03-31', 'Total,1.00,');
      const request = { document: only, apply: false, asOf: undefined };
      expect((await demanded(given, request)).faults.map(({ message }) => message)).to.deep.equal([
        'asOfRows is only, which takes the rows of a date: give it with --as-of; the file has 2025-03-31 (1 row)',
      ]);
    });

    it('do not hide that rows are left out, or that none is left', async () => {
      const leaveOut = [{ column: 'Loan', values: ['B', 'C'] }];
      const some = await read({ ...dated, leaveOut }, 'A,1.00,2025-03-31', 'B,,', 'Total,1.00,');
      expect(told(some.faults)).to.deep.equal([]);
      expect(told(some.warnings)).to.deep.equal(['0 rows_left_out']);
      const none = await read({ ...dated, leaveOut }, 'B,1.00,2025-03-31', 'Total,0.00,');
      expect(told(none.faults)).to.deep.equal(['1 no_rows']);
      expect(told((await read(dated, 'Total,0.00,')).faults)).to.deep.equal(['1 no_rows']);
    });
  });

  it('are no subtotals that begin alike and that the profile leaves out', async () => {
    const rows = ['A,1.00', 'Total Bonn,1.00', 'B,2.00', 'Total Köln,2.00', 'Total,3.00'];
    const leaveOut = [{ column: 'Loan', values: ['Total Bonn', 'Total Köln'] }];
    const request = { document: { ...document, leaveOut }, apply: false };
    const report = await demanded(text(...rows), request);
    expect(report.faults).to.deep.equal([]);
    expect(report.comparedTotals).to.deep.equal([{ name: 'due', sender: '3.00', file: '3.00' }]);
  });

  it('are no loan of a borrower whose name begins as the last row does', async () => {
    const columns = { borrower: ['Borrower'], ...document.columns };
    const file = (last: string) =>
      ['Borrower,Loan,Balance', 'TotalEnergies SE,A,1.00', 'Rossi,B,2.00', last, ''].join('\n');
    for (const last of ['Total,2 loans,3.00', 'Totals,,3.00', 'Total: 2,2,3.00']) {
      const request = { document: { ...document, columns }, apply: false };
      const report = await demanded(file(last), request);
      expect([report.rows, report.faults], last).to.deep.equal([2, []]);
      expect(report.comparedTotals).to.deep.equal([{ name: 'due', sender: '3.00', file: '3.00' }]);
    }
  });

  for (const [what, rows, faults, warnings] of [
    [
      'subtotals that begin as the totals do',
      ['A1,1.00', 'Total Bonn,1.00', 'B2,2.00', 'Total,3.00'],
      ['5 totals_within'],
      ['4 rows_left_out'],
    ],
    [
      'a subtotal above other loans and a grand total',
      ['A1,1.00', 'Total,1.00', 'B2,2.00', 'Grand Total,3.00'],
      ['5 totals_within'],
      ['4 rows_left_out'],
    ],
    ['loans below them alone', ['A1,1.00', 'Total,1.00', 'B2,2.00'], [], ['4 rows_left_out']],
    ['notes and a summary', ['A1,1.00', 'Total,1.00', 'Term,1.00', 'Total,1.00'], [], []],
  ] as const) {
    it(`tell loans that would be lost: ${what}`, async () => {
      const report = await demanded(text(...rows), { apply: false });
      const told = (found: readonly { readonly row: number; readonly code: string }[]) =>
        found.map(({ row, code }) => `${row} ${code}`);
      expect(told(report.faults)).to.deep.equal(faults);
      expect(told(report.warnings)).to.deep.equal(warnings);
    });
  }

  it('do not add a fault to a file whose rows have one', async () => {
    expect(await faultsOf(text('A,x', 'B,2.00', 'Total,3.00'))).to.deep.equal(['2 invalid_amount']);
  });

  it('count a loan once whose lenders each repeat it, and so do limits of a facility', async () => {
    const name = 'shares';
    const shared: ImportProfileDocument = {
      ...document,
      ...{ name, source: name, rowIs: 'lender', shareUnit: 'percent' },
      derive: { undisbursed: 'limit - due' },
      columns: {
        ...{ dealNumber: ['Deal'], facilityNumber: ['Facility'], loanNumber: ['Loan'] },
        ...{ lender: ['Lender'], lenderShare: ['Share'], limit: ['Limit'], due: ['Balance'] },
      },
    };
    const file = (total: string) =>
      [
        'Deal,Facility,Loan,Lender,Share,Limit,Balance',
        'D,F,A,One,60,100.00,10.00',
        'D,F,A,Two,40,100.00,10.00',
        'D,F,B,One,60,100.00,20.00',
        'D,F,B,Two,40,100.00,20.00',
        `Total,,,,,${total}`,
        '',
      ].join('\n');
    for (const total of ['100.00,30.00', '400.00,60.00']) {
      const report = await demanded(file(total), { document: shared, apply: false });
      expect(report.faults, total).to.deep.equal([]);
      const [limit = '', due = ''] = total.split(',');
      expect(report.comparedTotals, total).to.deep.equal([
        { name: 'limit', sender: limit, file: limit },
        { name: 'due', sender: due, file: due },
      ]);
    }
    expect(await faultsOf(file('100.00,31.00'), { document: shared })).to.deep.equal([
      '6 control_total',
    ]);
    const expected = { rows: 4, sums: { due: '30.00', limit: '100.00' } };
    const applied = await demanded(file('100.00,30.00'), { document: shared, expected });
    expect([applied.outcome, applied.controlTotals]).to.deep.equal([
      'applied',
      { limit: '100.00', due: '30.00' },
    ]);
  });

  it('of a column that the file does not have, or with separators of thousands, are refused by name', async () => {
    const expected = { rows: 1, sums: { constructor: '1.00', due: '1,000.00' } };
    const { faults } = await demanded(text('A,1.00', 'Total,1.00'), { expected });
    expect(faults).to.deep.equal([
      {
        row: 0,
        column: 'constructor',
        code: 'invalid_control',
        message: 'the file has no sum of this name; expected one of due',
        value: '1.00',
      },
      {
        row: 0,
        column: 'due',
        code: 'invalid_control',
        message: 'expected a plain decimal such as 12000000.00, without separators of thousands',
        value: '1,000.00',
      },
    ]);
  });
});
