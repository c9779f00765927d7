import { expect } from 'chai';
import fc from 'fast-check';
import { parseBusinessDate } from '../src/ledger/business-date.ts';
import { minorUnitDigits } from '../src/ledger/currency.ts';
import { formatAmount, parseAmount } from '../src/ledger/money.ts';

describe('money', () => {
  for (const [text, digits, minor, rounded] of [
    ['0', 2, 0n, false],
    ['-0.01', 2, -1n, false],
    ['12.5', 2, 1_250n, false],
    ['283040726064.12', 2, 28_304_072_606_412n, false],
    ['7', 0, 7n, false],
    ['1.234', 3, 1_234n, false],
    ['26620526.783', 2, 2_662_052_678n, true],
    ['0.005', 2, 1n, true],
    ['-0.005', 2, -1n, true],
    ['0.0049', 2, 0n, true],
    ['1.10000', 2, 110n, false],
  ] as const) {
    it(`reads ${text} with ${digits} digits as ${minor}${rounded ? ', rounded' : ''}`, () => {
      expect(parseAmount(text, digits)).to.deep.equal({ amountMinor: minor, rounded });
    });
  }

  for (const text of [
    '',
    '1,000.00',
    '(5.00)',
    '+1',
    '1e3',
    ' 1',
    '1.',
    '.5',
    '#N/A',
    'NULL',
    '١',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseAmount(text, 2)).to.equal(undefined);
    });
  }

  it('writes what it reads, for every amount and number of digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt(-(10n ** 17n), 10n ** 17n),
        fc.integer({ min: 0, max: 4 }),
        (minor, digits) => {
          const text = formatAmount(minor, digits);
          expect(parseAmount(text, digits)).to.deep.equal({ amountMinor: minor, rounded: false });
          expect(text.split('.')[1]?.length ?? 0).to.equal(digits);
        },
      ),
    );
  });

  it('knows the digits of each currency, and no code that ISO 4217 does not list', () => {
    const known = ['USD', 'JPY', 'KWD', 'CLF', 'EUR'].map(minorUnitDigits);
    expect(known).to.deep.equal([2, 0, 3, 4, 2]);
    expect(['XXX', 'usd', 'DEM', ''].map(minorUnitDigits)).to.deep.equal(Array(4).fill(undefined));
  });
});

describe('a business date', () => {
  for (const [text, good] of [
    ['2025-03-31', true],
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2023-02-30', false],
    ['2025-13-01', false],
    ['2025-3-1', false],
    ['31/03/2025', false],
    ['2025-03-31T00:00:00Z', false],
    ['0000-01-01', false],
  ] as const) {
    it(`${good ? 'takes' : 'refuses'} ${text}`, () => {
      expect(parseBusinessDate(text) !== undefined).to.equal(good);
    });
  }
});
