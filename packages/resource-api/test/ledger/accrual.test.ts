import { expect } from 'chai';
import fc from 'fast-check';
import {
  accrue,
  amountsBetween,
  type BalanceStep,
  EXACT_UNIT,
  roundAccrual,
} from '../../src/ledger/accrual.ts';
import { allocate, largestRemainder, roundHalfAwayFromZero } from '../../src/ledger/allocate.ts';
import { type BusinessDate, businessDateOf } from '../../src/ledger/business-date.ts';
import {
  DAY_COUNTS,
  type DayCount,
  dayOn,
  YEAR_PARTS,
  yearFraction,
} from '../../src/ledger/day-count.ts';
import { formatRate, parseRate, type Rate } from '../../src/ledger/rate.ts';
import { date } from '../support/book.ts';

const rate = (text: string): Rate => {
  const parsed = parseRate(text);
  if (parsed === undefined) throw new Error(`not a rate: ${text}`);
  return parsed;
};

describe('a rate', () => {
  it('is a fraction with up to twelve decimals, and is written with all of them', () => {
    for (const [text, written] of [
      ['0.0475', '0.047500000000'],
      ['0', '0.000000000000'],
      ['-0.0025', '-0.002500000000'],
      ['1', '1.000000000000'],
      ['0.000000000001', '0.000000000001'],
    ] as const) {
      expect(formatRate(rate(text))).to.equal(written);
    }
  });
  for (const text of ['', '4.75%', '.5', '1e-3', '0.0000000000001', '+1', '1,5']) {
    it(`is not ${JSON.stringify(text)}`, () => expect(parseRate(text)).to.equal(undefined));
  }
});

describe('a day count', () => {
  const days = (dayCount: DayCount, from: string, to: string) =>
    yearFraction(dayCount, date(from), date(from), date(to)).days;
  for (const [from, to, actual, bond] of [
    ['2025-01-15', '2025-02-15', 31, 30],
    ['2025-01-31', '2025-02-28', 28, 28],
    ['2025-01-30', '2025-03-31', 60, 60],
    ['2025-02-28', '2025-03-31', 31, 33],
    ['2024-02-28', '2024-03-01', 2, 3],
    ['2024-12-31', '2025-12-31', 365, 360],
    ['2025-05-31', '2025-05-31', 0, 0],
  ] as const) {
    it(`counts ${from} to ${to} as ${actual} actual days and ${bond} bond days`, () => {
      expect(days('ACT/360', from, to)).to.equal(actual);
      expect(days('ACT/365F', from, to)).to.equal(actual);
      expect(days('30/360', from, to)).to.equal(bond);
    });
  }

  it('counts days of leap years over 366 in ACT/ACT', () => {
    const { days: counted, parts } = yearFraction(
      'ACT/ACT',
      date('2023-11-01'),
      date('2023-11-01'),
      date('2024-05-01'),
    );
    // ISDA's own example: 61 days of 2023 and 121 of 2024.
    expect(counted).to.equal(182);
    expect(parts).to.equal((61n * YEAR_PARTS) / 365n + (121n * YEAR_PARTS) / 366n);
    expect(
      yearFraction('ACT/ACT', date('2024-01-01'), date('2024-01-01'), date('2025-01-01')).parts,
    ).to.equal(YEAR_PARTS);
  });

  it('adds up however a period is cut', () => {
    const day = fc
      .integer({ min: 0, max: 4_000 })
      .map((n) => businessDateOf(new Date(Date.UTC(2019, 0, 1 + n))));
    fc.assert(
      fc.property(fc.constantFrom(...DAY_COUNTS), day, day, day, (dayCount, ...dates) => {
        const [a, b, c] = dates.sort() as [BusinessDate, BusinessDate, BusinessDate];
        const whole = yearFraction(dayCount, a, a, c);
        const first = yearFraction(dayCount, a, a, b);
        const second = yearFraction(dayCount, a, b, c);
        expect(first.days + second.days).to.equal(whole.days);
        expect(first.parts + second.parts).to.equal(whole.parts);
      }),
    );
  });
});

describe('an accrual', () => {
  const step = (day: string, amountMinor: bigint): BalanceStep => ({
    date: date(day),
    amountMinor,
  });

  for (const [dayCount, amount] of [
    // 80,000,000.00 at 6.715 % from 15 January to 15 April 2025: 90 days of either kind.
    ['ACT/360', 134_300_000n],
    // 80,000,000 × 0.06715 × 90 / 365 = 1,324,602.7397…
    ['ACT/365F', 132_460_274n],
    ['30/360', 134_300_000n],
    ['ACT/ACT', 132_460_274n],
  ] as const) {
    it(`of a quarter by ${dayCount} is as computed by hand`, () => {
      const { amounts } = accrue(
        {
          from: date('2025-01-15'),
          to: date('2025-04-15'),
          dayCount,
          rates: [{ startDate: date('2025-01-15'), allInRate: rate('0.06715') }],
        },
        new Map([['', [step('2025-01-15', 8_000_000_000n)]]]),
      );
      expect(amounts.get('')).to.equal(amount);
    });
  }

  it('follows each rate and each balance from its day on', () => {
    const { amounts, periods } = accrue(
      {
        from: date('2025-01-01'),
        to: date('2025-01-31'),
        dayCount: 'ACT/360',
        rates: [
          { startDate: date('2024-10-01'), allInRate: rate('0.05') },
          { startDate: date('2025-01-11'), allInRate: rate('0.06') },
        ],
      },
      new Map([['', [step('2024-12-01', 100_000_00n), step('2025-01-21', 40_000_00n)]]]),
    );
    expect(
      periods().map(({ start, end, days, balanceMinor }) => [start, end, days, balanceMinor]),
    ).to.deep.equal([
      ['2025-01-01', '2025-01-11', 10, 100_000_00n],
      ['2025-01-11', '2025-01-21', 10, 100_000_00n],
      ['2025-01-21', '2025-01-31', 10, 40_000_00n],
    ]);
    // 138.888… + 166.666… + 66.666… = 372.222…
    expect(amounts.get('')).to.equal(372_22n);
  });

  it('is nothing before the first rate, and while the rate is 0', () => {
    const { amounts, periods } = accrue(
      {
        from: date('2025-01-01'),
        to: date('2025-04-01'),
        dayCount: 'ACT/360',
        rates: [
          { startDate: date('2025-02-01'), allInRate: rate('0.36') },
          { startDate: date('2025-02-11'), allInRate: rate('0') },
        ],
      },
      new Map([['', [step('2025-01-01', 1_000_00n)]]]),
    );
    expect(amounts.get('')).to.equal(10_00n);
    expect(periods()[0]?.start).to.equal('2025-02-01');
  });

  it('is nothing on a credit, and what the whole comes to for the lenders who are owed', () => {
    const on = (amountMinor: bigint) => [{ date: date('2024-01-01'), amountMinor }];
    const terms = {
      ...{ from: date('2024-01-01'), to: date('2024-12-26'), dayCount: 'ACT/360' as const },
      rates: [{ startDate: date('2024-01-01'), allInRate: rate('0.1') }],
    };
    const accrued = (...[whole, a, b, c]: [bigint, bigint, bigint, bigint]) => {
      const lines = { '': whole, a, b, c };
      const { amounts } = accrue(
        terms,
        new Map(Object.entries(lines).map(([id, x]) => [id, on(x)])),
      );
      return [...amounts].sort().map(([, amount]) => amount);
    };
    expect(accrued(-100n, -100n, 0n, 0n)).to.deep.equal([0n, 0n, 0n, 0n]);
    expect(accrued(-100n, -300n, 100n, 100n)).to.deep.equal([0n, 0n, 0n, 0n]);
    expect(accrued(4000n, -1000n, 5000n, 0n)).to.deep.equal([400n, 0n, 400n, 0n]);
    expect(accrued(4000n, -1000n, 2000n, 3000n)).to.deep.equal([400n, 0n, 160n, 240n]);
  });

  it('ends where its terms say, and goes on where later ones do', () => {
    const lines = new Map([['', [{ date: date('2024-01-01'), amountMinor: 3_600_00n }]]]);
    const rates = [{ startDate: date('2024-01-01'), allInRate: rate('0.1') }];
    const ends = [
      { from: '-infinity' as BusinessDate, end: date('2024-01-11') },
      { from: date('2024-01-21'), end: undefined },
      { from: date('2024-01-26'), end: date('2024-01-16') },
    ];
    const terms = {
      from: date('2024-01-01'),
      to: date('2024-03-01'),
      dayCount: 'ACT/360' as const,
    };
    const { amounts, periods } = accrue({ ...terms, rates, ends }, lines);
    expect(amounts.get('')).to.equal(15_00n);
    expect(periods().map(({ start, end }) => [start, end])).to.deep.equal([
      ['2024-01-01', '2024-01-11'],
      ['2024-01-21', '2024-01-26'],
    ]);
  });

  it('rounds once: three days of a third of a cent are a cent', () => {
    // 1.20 at 1 % a day's 360th: 0.00333… cents of … a day.
    const { amounts } = accrue(
      {
        from: date('2025-01-01'),
        to: date('2025-01-04'),
        dayCount: 'ACT/360',
        rates: [1, 2, 3].map((day) => ({
          startDate: date(`2025-01-0${day}`),
          allInRate: rate('0.01'),
        })),
      },
      new Map([['', [step('2025-01-01', 120_00n)]]]),
    );
    expect(amounts.get('')).to.equal(1n);
  });

  it('gives lenders parts that add up to the global amount, whatever their shares', () => {
    const share = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
    fc.assert(
      fc.property(
        fc.array(share, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 400 }),
        fc.bigInt({ min: -(10n ** 11n), max: 10n ** 12n }),
        fc.constantFrom(...DAY_COUNTS),
        (shares, length, allInRate, dayCount) => {
          const from = date('2024-01-31');
          const to = businessDateOf(new Date(Date.UTC(2024, 0, 31 + length)));
          const lines = new Map<string, BalanceStep[]>(
            shares.map((amountMinor, n) => [`pty_${n}`, [{ date: from, amountMinor }]]),
          );
          const total = shares.reduce((sum, amount) => sum + amount, 0n);
          lines.set('', [{ date: from, amountMinor: total }]);
          const rates = [{ startDate: from, allInRate: allInRate as Rate }];
          const { amounts } = accrue({ from, to, dayCount, rates }, lines);
          const { '': global = 0n, ...lenders } = Object.fromEntries(amounts);
          expect(Object.values(lenders).reduce((sum, amount) => sum + amount, 0n)).to.equal(global);
        },
      ),
    );
  });

  it('is the same between any two days where its changes were added up before', () => {
    const dateWithin = fc
      .integer({ min: 0, max: 1_000 })
      .map((days) => businessDateOf(new Date(Date.UTC(2023, 11, 20 + days))));
    const amount = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
    const byDate = <T>(dated: fc.Arbitrary<T>, dateOf: (one: T) => BusinessDate) =>
      fc
        .uniqueArray(dated, { selector: dateOf, maxLength: 8 })
        .map((some) => some.sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1)));
    const rates = byDate(
      fc.record({
        startDate: dateWithin,
        allInRate: fc.bigInt({ min: -(10n ** 10n), max: 10n ** 12n }).map((some) => some as Rate),
      }),
      ({ startDate }) => startDate,
    );
    const lines = fc
      .dictionary(
        fc.constantFrom('pty_1', 'pty_2', 'pty_3'),
        byDate(fc.record({ date: dateWithin, amountMinor: amount }), (one) => one.date),
      )
      .map((lenders) => new Map([...Object.entries(lenders), ['', addedUp(lenders)]]));
    const ends = byDate(
      fc.record({ from: dateWithin, end: fc.option(dateWithin, { nil: undefined }) }),
      ({ from }) => from,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...DAY_COUNTS),
        rates,
        lines,
        ends,
        fc.array(fc.tuple(dateWithin, dateWithin), { minLength: 1, maxLength: 5 }),
        (dayCount, steps, ofLines, ending, periods) => {
          const terms = { dayCount, rates: steps, ends: ending };
          const between = amountsBetween(terms, ofLines);
          for (const [one, other] of periods) {
            const [from, to] = one < other ? [one, other] : [other, one];
            const { amounts } = accrue({ from, to, ...terms }, ofLines);
            expect(between(dayOn(from), dayOn(to)), `${from} ${to}`).to.deep.equal(amounts);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function addedUp(lenders: Readonly<Record<string, readonly BalanceStep[]>>): BalanceStep[] {
  const lines = Object.values(lenders);
  const dates = [...new Set(lines.flatMap((line) => line.map((one) => one.date)))].sort();
  return dates.map((on) => ({
    date: on,
    amountMinor: lines.reduce(
      (sum, line) => sum + (line.findLast((one) => one.date <= on)?.amountMinor ?? 0n),
      0n,
    ),
  }));
}

describe('an allocation', () => {
  const weights = fc.uniqueArray(
    fc.record({ id: fc.string({ minLength: 1 }), weight: fc.bigInt({ min: 0n, max: 10n ** 14n }) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
  );
  it('adds up exactly, is within a unit of the exact part, and does not depend on order', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), weights, (amount, given) => {
        const whole = given.reduce((sum, { weight }) => sum + weight, 0n);
        fc.pre(whole > 0n);
        const parts = allocate(amount, given);
        expect([...parts.values()].reduce((sum, part) => sum + part, 0n)).to.equal(amount);
        for (const { id, weight } of given) {
          const off = (parts.get(id) ?? 0n) * whole - amount * weight;
          expect(off < whole && off > -whole).to.equal(true);
        }
        const turned = allocate(amount, [...given].reverse());
        expect(Object.fromEntries(turned)).to.deep.equal(Object.fromEntries(parts));
      }),
    );
  });

  it('gives the odd cent to the largest remainder, and among equals to the smaller id', () => {
    const even = ['c', 'a', 'b'].map((id) => ({ id, weight: 1n }));
    expect(Object.fromEntries(allocate(100n, even))).to.deep.equal({ a: 34n, b: 33n, c: 33n });
    expect(Object.fromEntries(allocate(-100n, even))).to.deep.equal({ a: -33n, b: -33n, c: -34n });
  });

  it('refuses weights of nothing and parts that are not of the whole', () => {
    expect(() => allocate(1n, [{ id: 'a', weight: 0n }])).to.throw(RangeError);
    expect(() => largestRemainder(5n, [{ id: 'a', numerator: 1n }], 1n)).to.throw(RangeError);
  });

  it('rounds halves away from zero', () => {
    expect([1n, 3n, -1n, -3n].map((n) => roundHalfAwayFromZero(n, 2n))).to.deep.equal([
      1n,
      2n,
      -1n,
      -2n,
    ]);
    expect(roundAccrual(EXACT_UNIT / 2n - 1n)).to.equal(0n);
  });
});
