import { expect } from 'chai';
import fc from 'fast-check';
import {
  type FacilityState,
  type MoneyPlan,
  NO_COMMITMENT,
  planMoney,
} from '../../src/import/plan/plan-money.ts';
import { combine, type Legs, totalOf } from '../../src/import/statement/legs.ts';
import type { StatedDrawing, StatedFacility } from '../../src/import/statement/stated-deal.ts';
import type { FacilityType } from '../../src/ledger/facility-type.ts';

const EMPTY: FacilityState = { commitment: NO_COMMITMENT, drawings: new Map(), participants: [] };
const LENDERS = ['bank', 'second', 'third'];
const amount = fc.bigInt(-(10n ** 13n), 10n ** 13n);
const positive = fc.bigInt(0n, 10n ** 13n);
const legs = (one: fc.Arbitrary<bigint>, holders = LENDERS): fc.Arbitrary<Legs> =>
  fc
    .array(one, { minLength: holders.length, maxLength: holders.length })
    .map((amounts) => new Map(amounts.map((value, index) => [holders[index] ?? '', value])));

const drawing = (number: string, due: Legs, cumulative?: StatedDrawing['cumulative']) => ({
  row: 2,
  number,
  status: 'active',
  effectiveDate: undefined,
  maturityDate: undefined,
  allInRate: undefined,
  due,
  cumulative,
  exchangeAdjustment: 0n,
});

function facility(given: Partial<StatedFacility>): StatedFacility {
  return {
    row: 2,
    number: undefined,
    name: undefined,
    type: 'term_loan',
    currency: 'USD',
    status: 'active',
    effectiveDate: undefined,
    maturityDate: undefined,
    commitment: {
      original: undefined,
      cancelled: undefined,
      current: undefined,
      undrawn: undefined,
      isApportioned: true,
    },
    drawings: [],
    holders: LENDERS.map((ref) => ({ ref, name: ref, countryCode: '', kind: 'assignment' })),
    ...given,
  };
}

/** Syndicated, stated by balances: what a lender's position report has. */
const balances = fc
  .record({
    current: legs(positive),
    dues: fc.array(legs(positive), { minLength: 1, maxLength: 3 }),
    undrawn: fc.option(legs(positive), { nil: undefined }),
    isApportioned: fc.boolean(),
    type: fc.constantFrom<FacilityType>('term_loan', 'revolver', 'delayed_draw'),
    limited: fc.boolean(),
  })
  .map(({ current, dues, undrawn, isApportioned, type, limited }) =>
    facility({
      type,
      commitment: {
        original: undefined,
        cancelled: undefined,
        current: limited ? current : undefined,
        undrawn,
        isApportioned,
      },
      drawings: dues.map((due, index) => drawing(`L${index}`, due)),
    }),
  );

/** With participants, stated by cumulative amounts: the World Bank's statement. */
const cumulative = fc
  .record({
    original: amount,
    cancelled: amount,
    undrawn: amount,
    disbursed: amount,
    repaid: legs(amount, ['bank', 'third parties']),
    sold: amount,
    due: legs(amount, ['bank', 'third parties']),
  })
  .map(({ original, cancelled, undrawn, disbursed, repaid, sold, due }) =>
    facility({
      holders: [
        { ref: 'bank', name: 'Bank', countryCode: '', kind: 'assignment' },
        { ref: 'third parties', name: 'Others', countryCode: '', kind: 'participation' },
      ],
      commitment: {
        original: new Map([['bank', original]]),
        cancelled: new Map([['bank', cancelled]]),
        current: undefined,
        undrawn: new Map([['bank', undrawn]]),
        isApportioned: true,
      },
      drawings: [
        drawing('L0', due, {
          disbursed: new Map([['bank', disbursed]]),
          repaid,
          transferred: new Map([
            ['bank', -sold],
            ['third parties', sold],
          ]),
        }),
      ],
    }),
  );

/** What a plan leaves in the book: the state before with all of its entries. */
function after(before: FacilityState, { journals }: MoneyPlan): FacilityState {
  const commitment = mutable(before.commitment);
  const drawings = new Map(
    [...before.drawings].map(([number, money]) => [number, mutable(money)] as const),
  );
  const add = (part: Map<string, bigint>, added: Legs, sign = 1n) => {
    for (const [holder, value] of added) {
      const sum = (part.get(holder) ?? 0n) + sign * value;
      if (sum === 0n) part.delete(holder);
      else part.set(holder, sum);
    }
  };
  for (const { account, movement, legs: moved, drawing: number } of journals.flatMap(
    ({ entries }) => entries,
  )) {
    if (account === 'ORIGINAL_COMMITMENT') add(commitment.original, moved);
    if (account === 'CANCELLED_COMMITMENT') add(commitment.cancelled, moved);
    if (account === 'UNFUNDED') add(commitment.unfunded, moved);
    if (number === undefined) continue;
    const money = drawings.get(number) ?? mutable(NOTHING);
    drawings.set(number, money);
    if (account === 'FX_REVAL') add(money.exchangeAdjustment, moved);
    if (account !== 'PRINCIPAL_CASH') continue;
    add(money.due, moved);
    if (movement === 'advance') add(money.disbursed, moved);
    if (movement === 'scheduled_repayment') add(money.repaid, moved, -1n);
    if (movement === 'transfer') add(money.transferred, moved);
  }
  return { commitment, drawings, participants: before.participants };
}

const NOTHING = {
  disbursed: new Map<string, bigint>(),
  repaid: new Map<string, bigint>(),
  transferred: new Map<string, bigint>(),
  due: new Map<string, bigint>(),
  billed: new Map<string, bigint>(),
  exchangeAdjustment: new Map<string, bigint>(),
};

function mutable<T extends object>(state: T) {
  const parts = Object.entries(state) as [string, Legs][];
  return Object.fromEntries(parts.map(([name, part]) => [name, new Map(part)])) as {
    [K in keyof T]: Map<string, bigint>;
  };
}

function without0(part: Legs): Record<string, bigint> {
  return Object.fromEntries([...part].filter(([, value]) => value !== 0n).sort());
}

describe('the plan of a statement', () => {
  for (const [name, statements] of [
    ['balances of a syndicate', balances],
    ['cumulative amounts with participants', cumulative],
  ] as const) {
    describe(`with ${name}`, () => {
      it('balances each journal, globally and for each lender', () => {
        fc.assert(
          fc.property(statements, (stated) => {
            for (const { entries } of planMoney(stated, EMPTY).journals) {
              const holders = new Set(entries.flatMap((entry) => [...entry.legs.keys()]));
              for (const holder of holders) {
                const sum = entries.reduce((all, one) => all + (one.legs.get(holder) ?? 0n), 0n);
                expect(sum).to.equal(0n);
              }
            }
          }),
        );
      });

      it('brings each lender’s principal, and what can be drawn, to what is stated', () => {
        fc.assert(
          fc.property(statements, statements, (first, second) => {
            const book = after(EMPTY, planMoney(first, EMPTY));
            const end = after(book, planMoney(second, book));
            for (const { number, due } of second.drawings) {
              expect(without0(end.drawings.get(number)?.due ?? new Map())).to.deep.equal(
                without0(due),
              );
            }
            const { current, original, cancelled, undrawn, isApportioned } = second.commitment;
            if (undrawn !== undefined) {
              expect(totalOf(end.commitment.unfunded)).to.equal(totalOf(undrawn));
              if (!isApportioned) {
                expect(without0(end.commitment.unfunded)).to.deep.equal(without0(undrawn));
              }
            }
            const now = { ...end.commitment };
            if (original) expect(totalOf(now.original)).to.equal(totalOf(original));
            if (cancelled) expect(totalOf(now.cancelled)).to.equal(totalOf(cancelled));
            if (current) {
              const left = combine([1n, now.original], [-1n, now.cancelled]);
              expect(without0(left)).to.deep.equal(without0(current));
            }
          }),
        );
      });

      it('posts nothing when the same is stated again', () => {
        fc.assert(
          fc.property(statements, (stated) => {
            const book = after(EMPTY, planMoney(stated, EMPTY));
            expect(planMoney(stated, book).journals).to.deep.equal([]);
          }),
        );
      });
    });
  }

  it('takes a sale between lenders for a transfer, of principal and commitment alike', () => {
    const of = (bank: bigint, second: bigint) =>
      facility({
        type: 'revolver',
        commitment: {
          original: undefined,
          cancelled: undefined,
          current: new Map([
            ['bank', 2n * bank],
            ['second', 2n * second],
          ]),
          undrawn: undefined,
          isApportioned: true,
        },
        drawings: [
          drawing(
            'L0',
            new Map([
              ['bank', bank],
              ['second', second],
            ]),
          ),
        ],
      });
    const book = after(EMPTY, planMoney(of(60n, 40n), EMPTY));
    const plan = planMoney(of(50n, 50n), book);
    expect(plan.journals.map(({ type }) => type)).to.deep.equal(['transfer', 'transfer']);
    expect(without0(after(book, plan).commitment.unfunded)).to.deep.equal({
      bank: 50n,
      second: 50n,
    });
  });

  it('leaves no holder an exchange adjustment when it has sold its part, or the loan has none any more', () => {
    const of = (bank: bigint, second: bigint, exchangeAdjustment: bigint) => {
      const due = new Map([
        ['bank', bank],
        ['second', second],
      ]);
      return facility({ drawings: [{ ...drawing('L0', due), exchangeAdjustment }] });
    };
    let book = EMPTY;
    for (const [bank, second, adjustment, expected] of [
      [60n, 40n, 10n, { bank: 6n, second: 4n }],
      [30n, 30n, 8n, { bank: 4n, second: 4n }],
      [40n, 20n, 8n, { bank: 4n, second: 4n }],
      [60n, 0n, 8n, { bank: 8n }],
      [0n, 0n, 0n, {}],
    ] as const) {
      book = after(book, planMoney(of(bank, second, adjustment), book));
      const { exchangeAdjustment = new Map() } = book.drawings.get('L0') ?? {};
      expect(without0(exchangeAdjustment)).to.deep.equal(expected);
    }
  });

  it('leaves an exchange adjustment where it is while nothing is owed, in whatever order lenders come', () => {
    const of = (...due: readonly (readonly [string, bigint])[]) =>
      facility({ drawings: [{ ...drawing('L0', new Map(due)), exchangeAdjustment: 8n }] });
    const book = after(EMPTY, planMoney(of(['bank', 0n], ['second', 40n]), EMPTY));
    const repaid = after(book, planMoney(of(['bank', 0n], ['second', 0n]), book));
    for (const lenders of [
      ['bank', 'second'],
      ['second', 'bank'],
    ]) {
      const again = of(...lenders.map((one) => [one, 0n] as const));
      expect(planMoney(again, repaid).journals).to.deep.equal([]);
    }
  });

  it('gives a repayment of a revolver back to be drawn, and none of a term loan', () => {
    for (const [type, unfunded] of [
      ['revolver', 40n],
      ['term_loan', 0n],
    ] as const) {
      const of = (due: bigint) =>
        facility({ type, drawings: [drawing('L0', new Map([['bank', due]]))] });
      const book = after(EMPTY, planMoney(of(100n), EMPTY));
      const end = after(book, planMoney(of(60n), book));
      expect(totalOf(end.commitment.unfunded), type).to.equal(unfunded);
    }
  });
});
