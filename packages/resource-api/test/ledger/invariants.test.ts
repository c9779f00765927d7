import {
  availableIsUndrawn,
  balancesAgree,
  type FacilityCommitment,
  journalSharesAddUp,
  journalsBalance,
  oneCurrency,
  partsMakeUpWhole,
  principalIsAllocated,
  rollForwardsFoot,
  sharesAddUp,
  unfundedIsUndrawn,
} from '@cls/book-generator/replay/invariants';
import { lineName, type PostedAmount, replay } from '@cls/book-generator/replay/replay';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { type BookRecord, type JournalRecord, minorOf } from '../../src/journal-file/record.ts';
import {
  addBalances,
  type Balance,
  outstandingPrincipal,
  ZERO_BALANCE,
} from '../../src/ledger/balance.ts';
import { type BusinessDate, daysAfter } from '../../src/ledger/business-date.ts';
import { NO_FILTER } from '../../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../../src/questions/sql-balance-store.ts';
import { date } from '../support/book.ts';
import { generated, loadRecords } from '../support/generated.ts';
import { expectReconciled } from '../support/reconciled.ts';

const isJournal = (record: BookRecord): record is JournalRecord => record.object === 'journal';

function postingsOf(records: readonly BookRecord[]): readonly PostedAmount[] {
  return records.filter(isJournal).flatMap(({ id, effectiveDate, reverses, postings }) =>
    postings.map((posting) => ({
      ...posting,
      journal: id,
      effectiveDate,
      amountMinor: minorOf(posting),
      reversal: reverses !== undefined,
    })),
  );
}

function commitmentsOf(
  records: readonly BookRecord[],
  postings: readonly PostedAmount[],
  asOf?: BusinessDate,
): readonly FacilityCommitment[] {
  const sums = new Map<string, Balance>();
  for (const { facility, lender, balance } of replay(postings, asOf).values()) {
    if (lender !== undefined) continue;
    sums.set(facility, addBalances(sums.get(facility) ?? ZERO_BALANCE, balance));
  }
  return records.flatMap((record) =>
    record.object !== 'facility'
      ? []
      : [
          {
            facility: record.id,
            type: record.type,
            pikUsesCommitment: record.pikUsesCommitment,
            balance: sums.get(record.id) ?? ZERO_BALANCE,
            adjustedMinor: 0n,
          },
        ],
  );
}

const seeds = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  contracts: fc.integer({ min: 1, max: 8 }),
  years: fc.integer({ min: 0, max: 2 }),
  uneven: fc.boolean(),
});

describe('of every random book', () => {
  it('each invariant holds, at its end and at any date', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 900 }), (plan, days) => {
        const { records } = generated(plan);
        const postings = postingsOf(records);
        const asOf = daysAfter(date('2023-01-15'), days);
        const currencies = new Map(
          records.flatMap((one): [string, string][] =>
            one.object === 'facility' ? [[one.id, one.currency]] : [],
          ),
        );
        expect(journalsBalance(postings)).to.deep.equal([]);
        expect(journalSharesAddUp(postings)).to.deep.equal([]);
        expect(oneCurrency(postings, currencies)).to.deep.equal([]);
        for (const day of [undefined, asOf]) {
          const lines = [...replay(postings, day).values()];
          expect(sharesAddUp(lines)).to.deep.equal([]);
          expect(rollForwardsFoot(lines)).to.deep.equal([]);
          expect(unfundedIsUndrawn(commitmentsOf(records, postings, day))).to.deep.equal([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('an invariant breaks when one posting is disturbed', () => {
    fc.assert(
      fc.property(seeds, fc.nat(), fc.integer({ min: 1, max: 5 }), (plan, at, by) => {
        const postings = postingsOf(generated(plan).records);
        const index = at % postings.length;
        const posting = postings[index] as PostedAmount;
        const disturbed = postings.with(index, {
          ...posting,
          amountMinor: posting.amountMinor + BigInt(by),
        });
        expect(journalsBalance(disturbed)).to.have.length(1);
        expect(journalSharesAddUp(disturbed)).to.have.length(1);
        const [gap] = journalsBalance(disturbed);
        expect(gap?.subject).to.include(posting.journal);
        const moved = replay(disturbed);
        const { facility, contract, lender } = posting;
        const name = lineName(facility, contract, lender);
        const before = new Map([...replay(postings)].map(([line, { balance }]) => [line, balance]));
        const now = new Map([...moved].map(([line, { balance }]) => [line, balance]));
        const breaks = balancesAgree(before, now);
        expect(breaks.every(({ subject }) => subject.startsWith(name))).to.equal(true);
      }),
      { numRuns: 40 },
    );
  });

  it('a facility that drew more than its commitment is named', () => {
    const { records } = generated({ contracts: 3, years: 0 });
    const [first, ...others] = commitmentsOf(records, postingsOf(records));
    const balance = { ...(first?.balance ?? ZERO_BALANCE) };
    const over = {
      ...first,
      balance: { ...balance, unfunded: balance.unfunded + 1n },
    } as FacilityCommitment;
    expect(unfundedIsUndrawn([over, ...others]).map(({ subject }) => subject)).to.deep.equal([
      first?.facility,
    ]);
    const footless = {
      facility: 'f',
      contract: 'c',
      lender: undefined,
      currency: 'USD',
      balance: { ...ZERO_BALANCE, advances: 1n },
    };
    expect(rollForwardsFoot([footless]).map(({ invariant }) => invariant)).to.deep.equal([
      'roll_forward_foots',
    ]);
    expect(sharesAddUp([footless])).to.have.length(1);
    expect(oneCurrency(postingsOf(records), new Map()).length).to.be.greaterThan(0);
  });
});

describe('an invariant of what is told', () => {
  const told = {
    subject: 'c',
    outstanding: 100n,
    cash: 90n,
    pikCapitalized: 10n,
    due: 30n,
    pastDue: 5n,
  };
  for (const [what, change, invariant] of [
    ['outstanding is not cash and capitalised', { cash: 91n }, 'principal_is_cash_and_pik'],
    ['more is due than is owed', { due: 101n }, 'principal_due_is_owed'],
    ['more is past due than is due', { pastDue: 31n }, 'past_due_is_due'],
  ] as const) {
    it(`is broken where ${what}`, () => {
      expect(principalIsAllocated([told])).to.deep.equal([]);
      const [broken] = principalIsAllocated([{ ...told, ...change }]);
      expect(broken?.invariant).to.equal(invariant);
    });
  }

  it('is broken where parts are not the whole, and where too much may be drawn', () => {
    const part = { ...ZERO_BALANCE, advances: 5n };
    const whole = { ...ZERO_BALANCE, advances: 10n };
    expect(partsMakeUpWhole(whole, [part, part], 'f')).to.deep.equal([]);
    expect(partsMakeUpWhole(whole, [part], 'f').map(({ subject }) => subject)).to.deep.equal([
      'f advances',
    ]);
    const open = { unfunded: 7n, unavailable: 3n };
    expect(availableIsUndrawn('f', open, false, 4n)).to.deep.equal([]);
    expect(availableIsUndrawn('f', open, true, 4n)).to.have.length(1);
    expect(availableIsUndrawn('f', { unfunded: 1n, unavailable: 3n }, false, 0n)).to.deep.equal([]);
  });

  it('holds of any random book: contracts make up facilities', () => {
    fc.assert(
      fc.property(seeds, (plan) => {
        const { records } = generated(plan);
        const lines = [...replay(postingsOf(records)).values()].filter(
          ({ lender }) => lender === undefined,
        );
        const wholes = new Map(
          commitmentsOf(records, postingsOf(records)).map((one) => [one.facility, one.balance]),
        );
        for (const [facility, whole] of wholes) {
          const parts = lines
            .filter((line) => line.facility === facility)
            .map(({ balance }) => balance);
          expect(partsMakeUpWhole(whole, parts, facility)).to.deep.equal([]);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describeOnEngines('a book in the database', (engine) => {
  let database: Database;
  /** What was posted, by the sequence after which it was known. */
  const known: { readonly seq: bigint; readonly postings: readonly PostedAmount[] }[] = [];
  const day0 = date('2023-01-15');

  before(async () => {
    database = await engine.open(MIGRATIONS);
    const { records } = generated({ contracts: 10, seed: 77, years: 2 });
    // In several transactions and not in the order of dates, as corrections come.
    const subjects = records.filter((record) => !isJournal(record));
    const journals = records.filter(isJournal);
    const reversed = new Set(journals.flatMap(({ reverses }) => reverses ?? []));
    const late = journals.filter((one, n) => n % 3 === 1 && !one.reverses && !reversed.has(one.id));
    const early = journals.filter((one) => !late.includes(one));
    const batches = [
      early.slice(0, early.length / 2),
      late.slice(0, late.length / 2),
      early.slice(early.length / 2),
      late.slice(late.length / 2),
    ];
    const all: PostedAmount[] = [];
    for (const [index, batch] of batches.entries()) {
      await loadRecords(database, index === 0 ? [...subjects, ...batch] : batch);
      all.push(...postingsOf(batch));
      const [last] = await database.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM journal');
      known.push({ seq: last?.seq ?? 0n, postings: [...all] });
    }
  });
  after(() => database?.close());

  it('reconciles', () => expectReconciled(database));

  it('has at any date, as known at any time, the balances that replaying the postings gives', async () => {
    const store = sqlBalanceStore(database);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom('facility', 'contract', 'deal', 'position' as const),
        async (days, state, level) => {
          const { seq, postings } = known[state] as (typeof known)[number];
          const asOf = daysAfter(day0, days);
          const expected = new Map<string, Balance>();
          const add = (name: string, balance: Balance) =>
            expected.set(name, addBalances(expected.get(name) ?? ZERO_BALANCE, balance));
          const dealOf = new Map(
            (
              await database.query<{ facility: string; deal: string }>(
                'SELECT f.id AS facility, d.id AS deal FROM facility f JOIN deal d ON d.key = f.deal_key',
              )
            ).map(({ facility, deal }) => [facility, deal]),
          );
          for (const { facility, contract, lender = '', balance } of replay(
            postings,
            asOf,
          ).values()) {
            if (level === 'contract' && contract === undefined) continue;
            if (level === 'deal') add(`${dealOf.get(facility)} ${lender}`, balance);
            else if (level === 'contract') add(`${contract} ${lender}`, balance);
            else if (level === 'facility') add(`${facility} ${lender}`, balance);
            else if (lender !== '') add(`${facility} ${lender}`, balance);
          }
          const { items } = await store.page(
            { fullControl: true },
            {
              level: level as 'deal',
              filter: { ...NO_FILTER, includeZero: true },
              snapshot: { asOf, ledgerSeq: seq },
              sort: undefined,
              after: undefined,
              limit: 1_000,
            },
          );
          const actual = new Map<string, Balance>();
          for (const item of items) {
            const ended = (item.facility?.availabilityEndDate ?? asOf) < asOf;
            const subject = item.facility?.id ?? '';
            if (level === 'facility') {
              expect(
                availableIsUndrawn(subject, item.global, ended, item.global.available),
              ).to.deep.equal([]);
            }
            const {
              principal_cash: cash,
              principal_pik: pikCapitalized,
              principal_due: due,
            } = item.global;
            const told = {
              subject,
              outstanding: outstandingPrincipal(item.global),
              cash,
              pikCapitalized,
              due,
              pastDue: 0n,
            };
            expect(principalIsAllocated([told])).to.deep.equal([]);
          }
          for (const { deal, facility, contract, position, global, lenders } of items) {
            const names = {
              deal: deal.id,
              facility: facility?.id,
              contract: contract?.id,
              position: facility?.id,
            };
            const name = names[level as 'deal'];
            if (position === null) actual.set(`${name} `, global);
            for (const { lender, balance } of lenders) actual.set(`${name} ${lender.id}`, balance);
          }
          expect(balancesAgree(expected, actual)).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
