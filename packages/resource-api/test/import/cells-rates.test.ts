import { expect } from 'chai';
import type { NumberDialect } from '../../src/import/cells/numbers.ts';
import { rateExpected, readRate } from '../../src/import/cells/rates.ts';
import { load } from '../support/inspecting.ts';
import { workbookOf } from '../support/statement-file.ts';

const US: NumberDialect = { decimalSeparator: '.', thousandsSeparator: ',' };

describe('a rate in a cell', () => {
  for (const [cell, unit, read] of [
    ['4.75', 'percent', '0.047500000000'],
    ['4.75 %', 'percent', '0.047500000000'],
    ['4.75%', 'percent', '0.047500000000'],
    ['0', 'percent', '0.000000000000'],
    ['1000', 'percent', '10.000000000000'],
    ['0.0000000001', 'percent', '0.000000000001'],
    ['-0.25', 'percent', '-0.002500000000'],
    ['0.0475', 'fraction', '0.047500000000'],
    [0.0431 + 0.0225, 'fraction', '0.065600000000'],
    ['475', 'basis_points', '0.047500000000'],
    ['475 bp', 'basis_points', '0.047500000000'],
    ['1,250bps', 'basis_points', '0.125000000000'],
  ] as const) {
    it(`reads ${cell} in ${unit} as ${read}`, () => {
      expect(readRate(cell, US, unit)).to.equal(read);
    });
  }

  it('has a decimal comma where one is declared', () => {
    expect(readRate('4,75 %', { decimalSeparator: ',' }, 'percent')).to.equal('0.047500000000');
  });

  for (const [cell, unit, sentence] of [
    ...(['x', 'n/a'] as const).map(
      (cell) =>
        [
          ...([cell, 'percent'] as const),
          'a percentage such as 4.75; if this stands for no rate, declare it in emptyMarks',
        ] as const,
    ),
    ['1,000', 'percent', 'a percentage such as 4.75'],
    ['1000.1', 'percent', 'a percentage such as 4.75, of at most 1,000 %'],
    ['99999999999', 'percent', 'a percentage such as 4.75'],
    [
      '-99',
      'percent',
      'a percentage such as 4.75, of at least −10 %; if this stands for no rate, declare it in emptyMarks',
    ],
    ['4.12345678901', 'percent', 'a percentage such as 4.75, with at most 10 decimals'],
    [
      '4.75 %',
      'fraction',
      'a fraction such as 0.0475; this has a percent sign: if all rates of the column have it, declare rateUnit: percent',
    ],
    [
      '475 bp',
      'percent',
      'a percentage such as 4.75; this has bp: if all rates of the column have it, declare rateUnit: basis_points',
    ],
    [new Date(0), 'percent', 'a percentage such as 4.75; this cell is a date in the workbook'],
  ] as const) {
    it(`refuses ${cell instanceof Date ? 'a date' : cell} in ${unit} by a sentence`, () => {
      expect(readRate(cell, US, unit)).to.equal(undefined);
      expect(rateExpected(cell, US, unit)).to.equal(`expected ${sentence}`);
    });
  }
});

describe('a rate in a workbook', () => {
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const row = (loan: string, rate: string, style: number) =>
    `<row>${text(loan)}<c><v>1</v></c><c s="${style}"><v>${rate}</v></c></row>`;
  const header = `<row>${['Loan', 'Balance', 'Rate'].map(text).join('')}</row>`;

  for (const [column, rateUnit] of [
    ['rate', 'percent'],
    ['rate', 'fraction'],
    ['ratePercent', 'percent'],
  ] as const) {
    it(`is what the workbook shows where a cell is formatted in percent: ${column} in ${rateUnit}`, async () => {
      const plain = rateUnit === 'percent' ? '4.75' : '0.0475';
      const rows = [header, row('A', '0.0475', 1), row('B', plain, 0), row('C', '0.05', 2)];
      const workbook = workbookOf({ sheets: [{ rows: rows.join('') }], formats: ['0.00%', 10] });
      const loans = await load(workbook, {
        ...{ name: 'rates', title: 'Rates', source: 'rates', currency: 'EUR', rateUnit },
        lender: { externalId: 'BANK', name: 'Bank' },
        columns: { loanNumber: ['Loan'], due: ['Balance'], [column]: ['Rate'] },
      });
      expect(loans.map(({ allInRate }) => allInRate)).to.deep.equal([
        '0.047500000000',
        '0.047500000000',
        '0.050000000000',
      ]);
    });
  }
});
