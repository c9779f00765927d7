import { expect } from 'chai';
import { ambiguousMark } from '../../src/import/cells/number-shape.ts';
import { type NumberDialect, readNumber } from '../../src/import/cells/numbers.ts';
import type { Cell } from '../../src/import/file/table.ts';

const POINT: NumberDialect = { decimalSeparator: '.' };
const US: NumberDialect = { decimalSeparator: '.', thousandsSeparator: ',' };
const GERMAN: NumberDialect = { decimalSeparator: ',', thousandsSeparator: '.' };
const SWISS: NumberDialect = { decimalSeparator: '.', thousandsSeparator: "'" };
const FRENCH: NumberDialect = { decimalSeparator: ',', thousandsSeparator: ' ' };
const LEDGER: NumberDialect = {
  ...US,
  parenthesesNegative: true,
  trailingMinus: true,
  negativeMarks: ['CR'],
  positiveMarks: ['DR'],
  currencyMarks: { $: 'USD', USD: 'USD', '€': 'EUR', Fr: 'CHF', 'Fr.': 'CHF' },
  zeroMarks: ['-', 'nil'],
};

function told(cell: Cell, dialect: NumberDialect): string {
  const result = readNumber(cell, dialect);
  if ('expected' in result) return result.expected;
  return result.currency === undefined ? result.text : `${result.text} ${result.currency}`;
}

describe('a number in a cell', () => {
  for (const [text, dialect, read] of [
    ['1234.5', POINT, '1234.5'],
    [' -12 ', POINT, '-12'],
    ['\u00a0−12.50\u202f', POINT, '-12.50'],
    ['+12', POINT, '12'],
    ['.5', POINT, '0.5'],
    ['-.5', POINT, '-0.5'],
    ['007', POINT, '007'],
    ['12345678901234567890', POINT, '12345678901234567890'],
    ['1,234,567.80', US, '1234567.80'],
    ['1234567.80', US, '1234567.80'],
    ['1.234.567,80', GERMAN, '1234567.80'],
    ['1.234', GERMAN, '1234'],
    ['1234,5', GERMAN, '1234.5'],
    ["1'234.5", SWISS, '1234.5'],
    ['1’234’567', SWISS, '1234567'],
    ['1 234,5', FRENCH, '1234.5'],
    ['1\u00a0234\u202f567\u2009890,5', FRENCH, '1234567890.5'],
    ['(1,000.25)', LEDGER, '-1000.25'],
    ['1,000.25-', LEDGER, '-1000.25'],
    ['1,000.25CR', LEDGER, '-1000.25'],
    ['1,000.25 cr', LEDGER, '-1000.25'],
    ['Cr 1,000.25', LEDGER, '-1000.25'],
    ['DR1,000.25', LEDGER, '1000.25'],
    ['$1,000.25', LEDGER, '1000.25 USD'],
    ['-$1,000.25', LEDGER, '-1000.25 USD'],
    ['$ -5', LEDGER, '-5 USD'],
    ['5.00 €', LEDGER, '5.00 EUR'],
    ['($ 5.00)', LEDGER, '-5.00 USD'],
    ['$(5.00)', LEDGER, '-5.00 USD'],
    ['$5.00 USD', LEDGER, '5.00 USD'],
    ['usd 5 CR', LEDGER, '-5 USD'],
    ['Fr.5', LEDGER, '5 CHF'],
    ['-', LEDGER, '0'],
    ['$ -', LEDGER, '0 USD'],
    ['-   €', LEDGER, '0 EUR'],
  ] as const) {
    it(`reads ${JSON.stringify(text)} as ${read}`, () => {
      expect(told(text, dialect)).to.equal(read);
    });
  }

  for (const [text, dialect, sentence] of [
    ['1000,00', POINT, "1234.56; if this is 1000.00, declare decimalSeparator: ','"],
    [
      '1000,00',
      US,
      "1234.56 or 1,234.56; if this is 1000.00, declare decimalSeparator: ',' and no thousandsSeparator",
    ],
    [
      '1,234',
      POINT,
      "1234.56; if this is 1.234, declare decimalSeparator: ','; if this is 1234, declare thousandsSeparator: ','",
    ],
    [
      '1.234.567,80 €',
      POINT,
      "1234.56; if this is 1234567.80, declare decimalSeparator: ',' and thousandsSeparator: '.' and currencyMarks: { '€': EUR }",
    ],
    ["1'234.5", POINT, '1234.56; if this is 1234.5, declare thousandsSeparator: "\'"'],
    ['(5.00)', POINT, '1234.56; if this is -5.00, declare parenthesesNegative: true'],
    ['5.00-', POINT, '1234.56; if this is -5.00, declare trailingMinus: true'],
    ['-', POINT, "1234.56; if this is 0, declare zeroMarks: ['-']"],
    [
      '5 CR',
      POINT,
      "1234.56; if this is -5, declare negativeMarks: ['CR'] and positiveMarks: ['DR']; if this is 5, declare negativeMarks: ['DR'] and positiveMarks: ['CR']",
    ],
    [
      '0,125',
      US,
      "1234.56 or 1,234.56; if this is 0.125, declare decimalSeparator: ',' and no thousandsSeparator",
    ],
    [
      '1,00.00',
      US,
      '1234.56 or 1,234.56; its separators do not stand between groups of three digits',
    ],
    [
      '12,34,567.89',
      US,
      '1234.56 or 1,234.56; this is grouped as lakhs and crores: ask for groups of three or for no groups',
    ],
    [
      '1E+5',
      POINT,
      '1234.56; this is in scientific notation, which leaves digits out: show all digits in the spreadsheet and export it again',
    ],
    ['5.25 %', POINT, '1234.56; this is a percentage'],
    ['5.', POINT, '1234.56; digits are missing after the separator'],
    ['', GERMAN, '1234,56 or 1.234,56; this cell is empty'],
    [
      '12.50M',
      POINT,
      '1234.56; this is in thousands, millions or billions, as its last letters say: ask for plain numbers, or for a column of one unit, which amountsIn declares',
    ],
    [
      'gru.79',
      POINT,
      '1234.56; this is a month and a year: a spreadsheet may have made it of a number such as 12.79; ask for the number',
    ],
    [
      '#N/A',
      US,
      '1234.56 or 1,234.56; this is an error of a spreadsheet: repair its formula, and export the file again',
    ],
    [new Date('2025-03-31'), POINT, '1234.56; this cell is a date in the workbook'],
    [Number.NaN, POINT, '1234.56'],
    [Number.POSITIVE_INFINITY, POINT, '1234.56'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} with what to write or to declare`, () => {
      expect(told(text, dialect)).to.equal(`expected a decimal such as ${sentence}`);
    });
  }

  for (const text of ['-(5)', '(-5)', '(5) CR', '5- DR', '-5 CR', '+-5', '--5', '- 5', '( 5 )']) {
    it(`refuses ${text}, whose sign is not one thing`, () => {
      expect(told(text, LEDGER)).to.match(/^expected a decimal such as/);
    });
  }

  for (const text of ['$5 €', '$ $ 5', '5 £', '5 $ CR DR', '$', '()', 'CR']) {
    it(`refuses ${text}, whose marks do not say one amount`, () => {
      expect(told(text, LEDGER)).to.match(/^expected a decimal such as/);
    });
  }

  for (const [cell, read] of [
    [1234.5, '1234.5'],
    [-0.1, '-0.1'],
    [-0, '0'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [1e21, '1000000000000000000000'],
    [1.25e22, '12500000000000000000000'],
    [123_456_789_012.345, '123456789012.345'],
    [
      0.1 + 0.2,
      'expected at most 15 digits, which a workbook keeps exactly; this number has 17: round it in the workbook, or give it as text',
    ],
    [
      1_234_567_890_123_456,
      'expected at most 15 digits, which a workbook keeps exactly; this number has 16: round it in the workbook, or give it as text',
    ],
  ] as const) {
    it(`takes ${cell} of a workbook for ${read}, whatever separators are declared`, () => {
      expect(told(cell, GERMAN)).to.equal(read);
    });
  }

  it('has a code for each way of being none', () => {
    const codes = [new Date(), 0.1 + 0.2, 'x'].map((cell) => {
      const result = readNumber(cell, POINT);
      return 'code' in result && result.code;
    });
    expect(codes).to.deep.equal(['date_for_amount', 'inexact_amount', 'invalid_amount']);
  });

  it('has marks of one meaning only', () => {
    const marks = (changes: Partial<NumberDialect>) => ambiguousMark({ ...LEDGER, ...changes });
    expect(marks({})).to.equal(undefined);
    expect(marks({ positiveMarks: ['cr'] })).to.equal('cr');
    expect(marks({ negativeMarks: ['usd'] })).to.equal('USD');
    expect(marks({ negativeMarks: ['C2'] })).to.equal('C2');
  });
});
