import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { currentCommitment, outstandingPrincipal } from '../src/ledger/balance.ts';
import {
  GROUPINGS,
  type Grouping,
  LEVELS,
  type Level,
  NO_FILTER,
} from '../src/questions/ask/balance-store.ts';
import type { BalanceReading } from '../src/questions/page/read-items.ts';
import type { GroupTotal } from '../src/questions/totals/group-sums.ts';
import { groupsReader } from '../src/questions/totals/read-groups.ts';
import { CUSTOMERS, callerOf, openAskedBook } from './support/asked-book.ts';

const QUESTIONS = 50;

/** What a group comes to, in the order of `sumsOf`. */
type Sums = readonly (bigint | number | null)[];

describeOnDatabase('totals by group', (engine) => {
  const random = new Random(53);
  const book = openAskedBook(engine, random);

  it('are the sums of the items of each group, for every caller, filter and two times', async function () {
    this.timeout(0);
    const readGroups = groupsReader(book().store, book().times);
    let told = 0;
    let inRest = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const level = random.pick(LEVELS);
      const groupBy = random.pick(
        [undefined, ...GROUPINGS].filter(
          (one) =>
            (one !== 'lender' || level === 'position') &&
            (one !== 'facilityType' || level !== 'deal'),
        ) as [Grouping],
      );
      const question = {
        ...book().aTime(),
        level,
        groupBy,
        filter: random.chance(0.3) ? NO_FILTER : book().aFilter(),
        top: random.pick([1, 1, 2, 100]),
      };
      const caller = callerOf(random.pick(CUSTOMERS));
      const { readings } = await book().readings(caller, question);
      const expected = grouped(readings, question);
      const { groups, rest, totals } = await readGroups(caller, question);
      const note = JSON.stringify({ ...question, customer: caller.customer });
      expect(
        sumsOf(totals, () => ''),
        note,
      ).to.deep.equal(summed(expected));
      if (groupBy === undefined) continue;
      const shown = sumsOf(groups, ({ group, party }) => `${party?.id ?? group}`);
      for (const [name, sums] of shown)
        expect(sums, `${note} ${name}`).to.deep.equal(expected.get(name));
      const others = new Map([...expected].filter(([name]) => !shown.has(name)));
      expect(
        sumsOf(rest, () => ''),
        note,
      ).to.deep.equal(summed(others));
      for (const currency of new Set([...expected.keys()].map((name) => name.slice(0, 3)))) {
        const of = (names: Iterable<string>) =>
          [...names].filter((name) => name.startsWith(currency));
        const count = Math.min(question.top, of(expected.keys()).length);
        expect(of(shown.keys()).length, note).to.equal(count);
        const least =
          of(shown.keys())
            .map((name) => shown.get(name)?.[1] as bigint)
            .at(-1) ?? 0n;
        for (const name of of(others.keys())) {
          expect((others.get(name)?.[1] as bigint) <= least, note).to.equal(true);
        }
      }
      told += groups.length;
      inRest += rest.length;
    }
    expect(told).to.be.greaterThan(QUESTIONS);
    expect(inRest).to.be.greaterThan(10);
  });

  it('are those that a large book keeps, and nothing else, where nothing is grouped', async () => {
    const { store } = book();
    const snapshot = await book().times.resolve(book().aTime(), { fullControl: true });
    const request = {
      level: 'facility',
      filter: NO_FILTER,
      snapshot,
      groupBy: undefined,
      top: 1,
    } as const;
    const access = { customer: 'agency' };
    const kept = await store.groupTotals(access, request, 1);
    const whole = await store.groupTotals(access, request, 1_000_000);
    expect(kept.map(({ details }) => details)).to.deep.equal(kept.map(() => undefined));
    const plain = (totals: typeof kept) =>
      totals.map(({ currency, count, balance }) => ({ currency, count, balance }));
    expect(plain(kept)).to.deep.equal(plain(whole));
    expect(kept.length).to.be.greaterThan(1);
  });
});

function isBelowZero(balance: BalanceReading['item']['global']): boolean {
  return outstandingPrincipal(balance) < 0n || balance.unfunded < 0n;
}

interface Grouped {
  readonly level: Level;
  readonly groupBy: Grouping | undefined;
  readonly asOf: string;
}

/** The groups of items by a naive reading, under currency and value. */
function grouped(readings: readonly BalanceReading[], { level, groupBy, asOf }: Grouped) {
  const lines = new Set(
    readings.map(({ item }) => `${item.facility?.id} ${item.position?.lenderId}`),
  );
  const groups = new Map<string, Sums>();
  for (const reading of readings) {
    const { item, pastDue } = reading;
    const { global, position, facility, lenders } = item;
    const own = lenders.find(({ lender }) => lender.id === position?.lenderId)?.balance ?? global;
    const apart = level === 'facility' || level === 'position';
    const within = apart && lines.has(`${facility?.sublimitOf} ${position?.lenderId}`);
    const late = pastDue.find(({ lenderId }) => lenderId === (position?.lenderId ?? ''));
    const warned =
      [global, ...lenders.map(({ balance }) => balance)].some(isBelowZero) ||
      item.overdrawn ||
      item.lenderOverdrawn ||
      item.overpaid ||
      pastDue.some(({ isMatured }) => isMatured);
    const sums = [
      1,
      outstandingPrincipal(own),
      own.fx_revaluation,
      within ? 0n : own.unfunded,
      own.interest_accrued,
      own.fees_accrued,
      within ? 0n : currentCommitment(own),
      within ? 0n : own.available,
      (late?.principal ?? 0n) + (late?.interest ?? 0n) + (late?.fees ?? 0n),
      warned ? 1 : 0,
    ];
    const name = `${item.currency} ${groupBy === undefined ? '' : groupOf(reading, level, groupBy, asOf)}`;
    groups.set(name, added(groups.get(name), sums));
  }
  return groups;
}

function groupOf(
  { item, pastDue }: BalanceReading,
  level: Level,
  groupBy: Grouping,
  asOf: string,
): string {
  const { borrower, deal, facility, contract, position } = item;
  const status = level === 'deal' ? deal.status : (contract ?? facility)?.status;
  const maturity = contract === null ? facility?.maturityDate : contract.maturityDate;
  const values: Readonly<Record<Grouping, string | null | undefined>> = {
    borrower: borrower.id,
    country: borrower.country,
    facilityType: facility?.type,
    status,
    lender: position?.lenderId,
    maturityYear: maturity?.slice(0, 4) ?? null,
    daysPastDue: ageOf(pastDue, asOf),
  };
  return `${values[groupBy]}`;
}

function ageOf(pastDue: BalanceReading['pastDue'], asOf: string): string {
  const since = pastDue.find(({ lenderId }) => lenderId === '')?.oldestDueDate;
  if (since == null) return '0';
  const days = (Date.parse(asOf) - Date.parse(since)) / 86_400_000;
  if (days > 90) return 'over-90';
  return days <= 30 ? '1-30' : days <= 60 ? '31-60' : '61-90';
}

function added(one: Sums | undefined, other: Sums): Sums {
  return other.map((value, index) => {
    const before = one?.[index] ?? (typeof value === 'bigint' ? 0n : 0);
    return ((before as number) + (value as number)) as number;
  });
}

/** Groups of one currency as one. */
function summed(groups: ReadonlyMap<string, Sums>): ReadonlyMap<string, Sums> {
  const totals = new Map<string, Sums>();
  for (const [name, sums] of groups) {
    const currency = `${name.slice(0, 3)} `;
    totals.set(currency, added(totals.get(currency), sums));
  }
  return new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sumsOf(groups: readonly GroupTotal[], nameOf: (group: GroupTotal) => string) {
  return new Map(
    groups.map((group): [string, Sums] => {
      const { currency, count, balance, details } = group;
      const sums = [
        count,
        outstandingPrincipal(balance),
        balance.fx_revaluation,
        balance.unfunded,
        balance.interest_accrued,
        balance.fees_accrued,
        details?.commitment ?? null,
        details?.available ?? null,
        details?.pastDue ?? null,
        details?.warnings ?? null,
      ];
      return [`${currency} ${nameOf(group)}`, sums];
    }),
  );
}
