import { Random } from '@cls/book-generator/random';
import { systemClock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { addTotals, type TotalBalance, ZERO_BALANCE } from '../src/ledger/balance.ts';
import { businessDateOf } from '../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  LEVELS,
  type Level,
  NO_FILTER,
  type ReaderAccess,
  type Snapshot,
} from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { lenderOf } from './support/any-order.ts';
import { date } from './support/book.ts';
import { bookInAnyOrder, recordsInAnyOrder } from './support/book-in-any-order.ts';
import { expectReconciled } from './support/reconciled.ts';

const CALLERS: readonly [ReaderAccess, ...ReaderAccess[]] = [
  { fullControl: true },
  { customer: 'agency' },
  { customer: 'everyone' },
  { customer: 'lender' },
  { customer: 'germany' },
  { customer: 'german-lender' },
  { customer: 'each-deal' },
];
const FEW_DEALS = CALLERS.slice(-3);
const QUESTIONS = 90;

describeOnDatabase('totals of the whole book', (engine) => {
  const random = new Random(23);
  const today = businessDateOf(systemClock.now());
  let database: Database;
  let store: BalanceStore;

  before(async function () {
    this.timeout(0);
    database = await engine.open(MIGRATIONS, bookInAnyOrder);
    store = sqlBalanceStore(database);
    const { grant } = sqlEntitlements(database);
    const lender = { role: 'lender', lenderId: lenderOf(recordsInAnyOrder()) } as const;
    const borrower = { role: 'borrower', lenderId: undefined } as const;
    const agent = { role: 'agent', lenderId: undefined } as const;
    await grant({ ...borrower, customer: 'everyone', deals: { allDeals: true } });
    await grant({ ...lender, customer: 'german-lender', deals: { country: 'DE' } });
    for (const dealId of await columnOf<string>('SELECT id AS v FROM deal')) {
      await grant({ ...agent, customer: 'each-deal', deals: { dealId } });
    }
  });
  after(() => database?.close());

  const itemsOf = async (access: ReaderAccess, level: Level, snapshot: Snapshot) => {
    const request = { level, filter: NO_FILTER, snapshot, sort: undefined, after: undefined };
    return (await store.page(access, { ...request, limit: 100_000 })).items;
  };

  it('are the sums of its items, at any date, as known at any time, for every caller', async () => {
    const dates = await columnOf<string>('SELECT DISTINCT effective_date::text AS v FROM journal');
    const seqs = await columnOf<bigint>(
      'SELECT max(seq) AS v FROM journal GROUP BY posted_at ORDER BY v DESC',
    );
    const [last] = seqs;
    const edition = { generation: await store.generation(), today };
    let shown = 0;
    let ofFewDeals = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const day = random.pick(['2021-06-01', '2023-12-31', '2030-01-01', ...dates]);
      const snapshot = {
        asOf: date(random.chance(0.3) ? dayAfter(day) : day),
        ledgerSeq: random.chance(0.4) ? last : random.pick(seqs),
      };
      const level = random.pick(LEVELS);
      const access = random.pick(CALLERS);
      const expected = added(await itemsOf(access, level, snapshot), level);
      // In a known state of the book, the lines of a caller's few deals are looked up once.
      const kept = { ...snapshot, edition };
      const totalsOf = async (filter: BalanceFilter, at: Snapshot) =>
        (await store.totals(access, { level, filter, snapshot: at })) ?? [];
      const found = await totalsOf(NO_FILTER, snapshot);
      const note = JSON.stringify({
        access,
        level,
        ...snapshot,
        ledgerSeq: `${snapshot.ledgerSeq}`,
      });
      expect(found, note).to.deep.equal(expected);
      expect(await totalsOf(NO_FILTER, kept), note).to.deep.equal(expected);
      shown += found.length;
      if (FEW_DEALS.includes(access)) ofFewDeals += found.length;
      const [{ currency } = { currency: 'USD' }] = found;
      const filter = { ...NO_FILTER, currencies: [currency] };
      const one = expected.filter((total) => total.currency === currency);
      expect(await totalsOf(filter, snapshot), note).to.deep.equal(one);
      expect(await totalsOf(filter, kept), note).to.deep.equal(one);
    }
    expect(shown).to.be.greaterThan(QUESTIONS);
    expect(ofFewDeals).to.be.greaterThan(QUESTIONS / 4);
  });

  it('are found in every state of knowledge by reconcile', async () => {
    const checks = await expectReconciled(database, { points: 8 });
    const totals = checks.filter(({ invariant }) => invariant.includes('totals'));
    expect(totals).to.have.length(3);
    expect(totals.every(({ checked }) => checked > 0)).to.equal(true);
  });

  it('are not for a caller who sees a part of the book', async () => {
    const seen = async (customer: string) => {
      const setup = `SET LOCAL ROLE cls_reader; SET LOCAL cls.full_control = 'off';
        SET LOCAL cls.customer = '${customer}';`;
      const rows = await database.transaction(
        (inside) => inside.query<{ level: string }>('SELECT DISTINCT level FROM book_total'),
        { setup },
      );
      return rows.map(({ level }) => level).sort();
    };
    expect(await seen('agency')).to.deep.equal(['contract', 'deal', 'facility', 'position']);
    expect(await seen('everyone')).to.deep.equal(['contract', 'deal', 'facility']);
    expect(await seen('lender')).to.deep.equal(['contract', 'deal', 'facility']);
    expect(await seen('germany')).to.deep.equal([]);
    expect(await seen('nobody')).to.deep.equal([]);
  });

  const columnOf = async <T>(sql: string): Promise<readonly [T, ...T[]]> => {
    const [first, ...rest] = (await database.query<{ v: T }>(sql)).map(({ v }) => v);
    if (first === undefined) throw new Error('nothing was loaded');
    return [first, ...rest];
  };
});

/** What items come to, a sublimit's commitment not counted where its facility is among them. */
function added(items: readonly BalanceItem[], level: Level) {
  const holderOf = ({ facility, position }: BalanceItem) =>
    `${facility?.id} ${position?.lenderId ?? ''}`;
  const facilities = new Set(items.map(holderOf));
  const sums = new Map<string, { count: number; balance: TotalBalance }>();
  for (const item of items) {
    const { currency, facility, position, lenders, global } = item;
    const own = lenders.find((one) => one.lender.id === position?.lenderId)?.balance ?? global;
    const around = `${facility?.sublimitOf} ${position?.lenderId ?? ''}`;
    const within = level !== 'contract' && facilities.has(around);
    const before = sums.get(currency) ?? { count: 0, balance: addTotals(ZERO, ZERO) };
    sums.set(currency, {
      count: before.count + 1,
      balance: addTotals(before.balance, within ? { ...own, unfunded: 0n } : own),
    });
  }
  return [...sums]
    .map(([currency, sum]) => ({ currency, ...sum }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

const ZERO: TotalBalance = ZERO_BALANCE;
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
