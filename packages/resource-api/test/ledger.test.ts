import { expect } from 'chai';
import fc from 'fast-check';
import { EMPTY_LOAN, planLoan } from '../src/import/plan.ts';
import { AMOUNT_FIELDS, type AmountField } from '../src/import/profile.ts';
import type { StatementRow } from '../src/import/statement-row.ts';
import { parseBusinessDate } from '../src/ledger/business-date.ts';
import { minorUnitDigits } from '../src/ledger/currency.ts';
import { isBalanced } from '../src/ledger/journal.ts';
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

describe('the plan of an import', () => {
  const asOf = parseBusinessDate('2025-03-31');
  if (asOf === undefined) throw new Error('not a date');
  const amount = fc.bigInt(-(10n ** 13n), 10n ** 13n);
  const rows = fc.record(Object.fromEntries(AMOUNT_FIELDS.map((field) => [field, amount]))).map(
    (amounts): StatementRow => ({
      row: 2,
      loanNumber: 'L1',
      name: 'L1',
      countryCode: 'IN',
      country: 'India',
      borrower: 'B',
      guarantor: undefined,
      facilityType: 'term_loan',
      statuses: ['active', 'active', 'active'],
      allInRate: undefined,
      amounts: amounts as Record<AmountField, bigint>,
      dates: {},
    }),
  );

  it('gives journals that balance, whose lenders’ legs add up to the global ones', () => {
    fc.assert(
      fc.property(rows, (row) => {
        for (const { postings } of planLoan(row, EMPTY_LOAN, { asOf, keyPrefix: 'x' })) {
          for (const holder of ['global', 'lender', 'participants']) {
            const own = postings.filter(({ line }) => line.holder === holder);
            expect(isBalanced(own)).to.equal(true);
          }
          const sum = (global: boolean, account: string) =>
            postings
              .filter((p) => (p.line.holder === 'global') === global && p.account === account)
              .reduce((total, { amountMinor }) => total + amountMinor, 0n);
          for (const { account } of postings) {
            expect(sum(true, account)).to.equal(sum(false, account));
          }
        }
      }),
    );
  });

  it('brings the ledger to what the statement says, to the cent', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const postings = planLoan(row, EMPTY_LOAN, { asOf, keyPrefix: 'x' }).flatMap(
          (journal) => journal.postings,
        );
        const total = (account: string, holder: string) =>
          postings
            .filter((p) => p.account === account && p.line.holder === holder)
            .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
        expect(total('PRINCIPAL_CASH', 'lender')).to.equal(row.amounts.due);
        expect(total('PRINCIPAL_CASH', 'participants')).to.equal(row.amounts.dueThirdParty);
        expect(total('UNFUNDED', 'global')).to.equal(row.amounts.undisbursed);
        expect(total('FX_REVAL', 'global')).to.equal(row.amounts.exchangeAdjustment);
      }),
    );
  });

  it('posts nothing for a statement that says what the ledger has', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const { amounts } = row;
        const state = {
          ...amounts,
          unfunded: amounts.undisbursed,
        };
        expect(planLoan(row, state, { asOf, keyPrefix: 'x' })).to.deep.equal([]);
      }),
    );
  });
});
