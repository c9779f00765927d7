import { Random } from '@cls/book-generator/random';
import { Refusal } from '@cls/shared/http/refusal';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  BALANCE_COMPONENTS,
  currentCommitment,
  outstandingPrincipal,
} from '../src/ledger/balance.ts';
import {
  type AnySort,
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  COMPUTED_SORTS,
  isAmountSort,
  isComputed,
  LEVELS,
  NO_FILTER,
  type PageEnd,
  type PageRequest,
  type ReaderAccess,
  STORED_SORTS,
} from '../src/questions/ask/balance-store.ts';
import { computedPage } from '../src/questions/page/computed-order.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { lenderOf } from './support/any-order.ts';
import { date } from './support/book.ts';
import { bookInAnyOrder, recordsInAnyOrder } from './support/book-in-any-order.ts';
import { loadRecords } from './support/generated.ts';
import { everyItem } from './support/pages.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aLoan, aParty } from './support/records.ts';

const CALLERS: readonly [ReaderAccess, ...ReaderAccess[]] = [
  { fullControl: true },
  { fullControl: true },
  { customer: 'agency' },
  { customer: 'lender' },
  { customer: 'germany' },
];
const QUESTIONS = 70;
const WHOLE = 100_000;
const LAST_SEQ = 'SELECT max(seq) AS v FROM journal';
/** As a large book is walked: a page is given up after a few candidates. */
const FEW_CANDIDATES = { candidates: 3, candidatesPerItem: 1, smallBook: 0, smallLedger: 0 };

describeOnDatabase('pages that are sorted by a field', (engine) => {
  const random = new Random(31);
  let database: Database;
  let store: BalanceStore;
  let givingUp: BalanceStore;
  const records = recordsInAnyOrder();

  before(async function () {
    this.timeout(0);
    database = await engine.open(MIGRATIONS, bookInAnyOrder);
    store = sqlBalanceStore(database);
    givingUp = sqlBalanceStore(database, database, FEW_CANDIDATES);
  });
  after(() => database?.close());

  const columnOf = async <T>(sql: string): Promise<readonly [T, ...T[]]> => {
    const [first, ...rest] = (await database.query<{ v: T }>(sql)).map(({ v }) => v);
    if (first === undefined) throw new Error('nothing was loaded');
    return [first, ...rest];
  };

  const walk = (access: ReaderAccess, request: PageRequest) => everyItem(store, access, request);

  const aFilter = (): BalanceFilter => {
    const change = random.pick<() => Partial<BalanceFilter>>([
      () => ({}),
      () => ({}),
      () => ({ currencies: [random.pick(['USD', 'EUR', 'XXX'])] }),
      () => ({ facilityTypes: ['revolver', 'swingline'] }),
      () => ({ statuses: [random.pick(['active', 'repaid', 'matured'])] }),
      () => ({ countries: ['DE', 'FR'] }),
      () => ({ lenderIds: [lenderOf(records)] }),
      () => ({ minOutstandingMinor: BigInt(random.between(0, 3)) * 100_000_000n }),
      () => ({ minOutstandingMinor: 1n, maxOutstandingMinor: 1_000_000_000n }),
      () => ({ maturityFrom: date('2024-01-31'), maturityTo: date('2026-06-30') }),
      () => ({ pastDue: true }),
      () => ({ search: random.pick(['al', 'Arg', 'ze mid', '1', 'nothing']) }),
      () => ({ dealIds: records.flatMap((one) => (one.object === 'deal' ? one.id : [])).slice(2) }),
    ]);
    return { ...NO_FILTER, includeZero: random.chance(0.4), ...change() };
  };

  it('have every item once and in order, as unsorted pages do, at any date, as known at any time', async function () {
    this.timeout(0);
    const dates = await columnOf<string>('SELECT DISTINCT effective_date::text AS v FROM journal');
    const seqs = await columnOf<bigint>(
      'SELECT max(seq) AS v FROM journal GROUP BY posted_at ORDER BY v DESC',
    );
    let shown = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const access = random.pick(CALLERS);
      const sort = { by: random.pick(SORTS), descending: random.chance(0.5) };
      const unsorted: PageRequest = {
        level: random.pick(LEVELS),
        filter: aFilter(),
        snapshot: {
          asOf: date(random.pick(['2021-06-01', '2030-01-01', ...dates])),
          ledgerSeq: random.chance(0.4) ? seqs[0] : random.pick(seqs),
        },
        sort: undefined,
        after: undefined,
        limit: WHOLE,
      };
      // What ends an item is not asked of the store.
      const { filter } = unsorted;
      const every = { ...unsorted, filter: { ...filter, includeZero: true } };
      const items = (await store.page(access, every)).items.filter(
        (item) => filter.includeZero || LIVING.some((name) => ownOf(item)?.[name]),
      );
      const expected = items
        .map((item) => ({ ...item, end: { ...item.end, sortValue: valuesOf(item)[sort.by] } }))
        .sort((a, b) => ordered(a, b, sort));
      const limit = Math.ceil(items.length / random.between(1, 4)) + random.between(0, 1) || 1;
      const found = await everyItem(sortedBy(store, sort), access, { ...unsorted, limit });
      const note = JSON.stringify({ access, ...unsorted, sort, limit }, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      const plain = await walk(access, { ...unsorted, limit });
      expect(plain.map(shownOf), note).to.deep.equal(items.map(shownOf));
      expect(found.map(shownOf), note).to.deep.equal(expected.map(shownOf));
      const few = random.between(1, 7);
      const giving = await everyItem(sortedBy(givingUp, sort), access, { ...unsorted, limit: few });
      expect(giving.map(shownOf), note).to.deep.equal(expected.map(shownOf));
      const plainly = await everyItem(givingUp, access, { ...unsorted, limit: few });
      expect(plainly.map(shownOf), note).to.deep.equal(items.map(shownOf));
      shown += found.length;
    }
    expect(shown).to.be.greaterThan(QUESTIONS);
  });

  it('are short where a large book has few items of the filter, and go on where they ended', async () => {
    const asked: PageRequest = {
      level: 'position',
      filter: { ...NO_FILTER, currencies: ['XXX'] },
      snapshot: { asOf: date('2023-03-01'), ledgerSeq: (await columnOf<bigint>(LAST_SEQ))[0] },
      sort: undefined,
      after: undefined,
      limit: 5,
    };
    const sort = { by: 'borrower', descending: false } as const;
    for (const request of [asked, { ...asked, sort }]) {
      let pages = 1;
      let page = await givingUp.page({ fullControl: true }, request);
      while (page.next !== undefined) {
        expect(page.items).to.deep.equal([]);
        page = await givingUp.page({ fullControl: true }, { ...request, after: page.next });
        pages += 1;
      }
      expect(pages).to.be.greaterThan(3);
    }
  });

  it('are full where many items of other currencies have the same amount of nothing', async () => {
    const book = await engine.open(MIGRATIONS);
    try {
      const [borrower, anna] = [aParty('Borrower'), aParty('Anna')];
      const loans = [...Array(40).fill('USD'), ...Array(8).fill('EUR')].map((currency) =>
        aLoan(borrower, [anna], { currency }),
      );
      const eur = loans.slice(40).map(({ facility }) => facility.id);
      await loadRecords(book, [borrower, anna, ...loans.flatMap(({ all }) => all)]);
      const bounds = { candidates: 10, candidatesPerItem: 0, smallBook: 0, smallLedger: 0 };
      const few = sqlBalanceStore(book, book, bounds);
      const [row] = await book.query<{ seq: bigint }>(
        'SELECT coalesce(max(seq), 0) AS seq FROM journal',
      );
      for (const level of LEVELS) {
        const page = await few.page(
          { fullControl: true },
          {
            ...{ level, limit: 5, after: undefined },
            filter: { ...NO_FILTER, includeZero: true },
            snapshot: { asOf: date('2024-06-30'), ledgerSeq: row?.seq ?? 0n },
            sort: { by: 'outstanding', descending: true },
          },
        );
        const found = page.items.map(({ facility }) => facility?.id);
        expect(found, level).to.have.length(5);
        if (level !== 'deal') expect(eur, level).to.include.members(found as string[]);
      }
    } finally {
      await book.close();
    }
  });

  it('are full up to the last one in a small book', async () => {
    const small = sqlBalanceStore(database, database, { ...FEW_CANDIDATES, smallBook: 10_000 });
    const snapshot = { asOf: date('2023-03-01'), ledgerSeq: (await columnOf<bigint>(LAST_SEQ))[0] };
    const filter = { ...NO_FILTER, currencies: ['EUR'] };
    for (const sort of [undefined, { by: 'outstanding', descending: true } as const]) {
      for (const level of LEVELS) {
        const request = { level, filter, snapshot, sort, after: undefined, limit: 2 };
        const all = await everyItem(store, { fullControl: true }, request);
        let found = 0;
        for (let after: PageEnd | undefined, ended = false; !ended; ) {
          const page = await small.page({ fullControl: true }, { ...request, after });
          found += page.items.length;
          ended = page.next === undefined;
          if (!ended) expect(page.items).to.have.lengthOf(2);
          after = page.next;
        }
        expect(found, level).to.equal(all.length);
      }
    }
  });

  it('are sorted as a whole where the order of a small book has too much to pass over', async () => {
    let transactions = 0;
    const counting: Database = {
      ...database,
      transaction: (work, options) => {
        transactions += 1;
        return database.transaction(work, options);
      },
    };
    const [last] = await columnOf<bigint>(LAST_SEQ);
    const request: PageRequest = {
      level: 'position',
      filter: { ...NO_FILTER, facilityTypes: ['none'] },
      snapshot: { asOf: date('2023-03-01'), ledgerSeq: last },
      sort: { by: 'outstanding', descending: true },
      after: undefined,
      limit: 1,
    };
    const empty = await sqlBalanceStore(counting).page({ fullControl: true }, request);
    expect(empty).to.deep.equal({ items: [], next: undefined });
    expect(transactions).to.equal(2);
    const filter = { ...NO_FILTER, currencies: ['USD'] };
    const { items: all } = await store.page(
      { fullControl: true },
      { ...request, filter, limit: WHOLE },
    );
    const paged = await walk({ fullControl: true }, { ...request, filter });
    expect(paged.map(shownOf)).to.deep.equal(all.map(shownOf));
  });

  it('are refused where more would have to be worked out than is sorted, unless few deals are left', async () => {
    const access = { fullControl: true } as const;
    const ledgerSeq = (await columnOf<bigint>(LAST_SEQ))[0];
    const dealIds = records.flatMap((one) => (one.object === 'deal' ? one.id : [])).slice(0, 1);
    const few: BalanceStore = {
      ...store,
      valuesOf: (reader, request) => store.valuesOf(reader, request, 5),
    };
    for (const by of COMPUTED_SORTS) {
      const request = {
        level: 'facility' as const,
        snapshot: { asOf: date('2024-03-01'), ledgerSeq },
        sort: { by, descending: true },
        after: undefined,
        limit: 3,
      };
      const page = computedPage(few, access, { ...request, filter: NO_FILTER });
      const refused: unknown = await page.catch((fault: unknown) => fault);
      if (!(refused instanceof Refusal)) throw new Error(`${by} is not refused`);
      expect(refused.details.status).to.equal(400);
      expect(refused.details.detail).to.match(/^sort: .* at most 20000 items: narrow the question/);
      const filter = { ...NO_FILTER, dealIds };
      const { items } = await computedPage(few, access, { ...request, filter });
      const whole = await computedPage(store, access, { ...request, filter });
      expect(items.length, by).to.be.greaterThan(0);
      expect(items.map(shownOf), by).to.deep.equal(whole.items.map(shownOf));
    }
  });

  it('are found to have all items by reconcile', async () => {
    const checks = await expectReconciled(database);
    const sorted = checks.filter(({ invariant }) => invariant.includes('sorted_items'));
    expect(sorted).to.have.length(2);
    expect(sorted.every(({ checked }) => checked > 0)).to.equal(true);
  });

  it('keep what items are sorted by from who does not see the items', async () => {
    const seen = async (customer: string, table: string) => {
      const setup = `SET LOCAL ROLE cls_reader; SET LOCAL cls.full_control = 'off';
        SET LOCAL cls.customer = '${customer}';`;
      const [row] = await database.transaction(
        (inside) =>
          inside.query<{ deals: number; lenders: number }>(
            `SELECT count(DISTINCT deal_key)::int AS deals,
               (count(DISTINCT lender_key) FILTER (WHERE lender_key <> 0))::int AS lenders
             FROM ${table}`,
          ),
        { setup },
      );
      return row;
    };
    const [of] = await database.query<{ deals: number; german: number; lenders: number }>(
      `SELECT (SELECT count(*)::int FROM deal) AS deals,
         (SELECT count(DISTINCT deal_key)::int FROM entitlement WHERE customer_id = 'germany')
           AS german,
         (SELECT count(DISTINCT lender_key)::int FROM lender_position) AS lenders`,
    );
    for (const table of ['sort_amount', 'sort_label', 'item_life']) {
      const whole = { deals: of?.deals, lenders: of?.lenders };
      expect(await seen('agency', table), table).to.deep.equal(whole);
      expect(await seen('lender', table), table).to.deep.equal({ ...whole, lenders: 1 });
      expect((await seen('germany', table))?.deals, table).to.equal(of?.german);
      expect(await seen('nobody', table), table).to.deep.equal({ deals: 0, lenders: 0 });
    }
  });
});

/** What an item owes, or what can be drawn on it. */
const LIVING = BALANCE_COMPONENTS.filter(
  (name) => !['original_commitment', 'cancelled_commitment', 'fx_revaluation'].includes(name),
);

const ownOf = ({ position, lenders, global }: BalanceItem) =>
  position === null ? global : lenders.find(isOf(position.lenderId))?.balance;

/** Those that an item shows as they are. */
const SORTS = [...STORED_SORTS, 'commitment', 'available'] as const;
type SortName = (typeof SORTS)[number];

/** A store that sorts its pages. */
function sortedBy(store: BalanceStore, sort: AnySort): BalanceStore {
  return {
    ...store,
    page: (access, request) =>
      isComputed(sort)
        ? computedPage(store, access, { ...request, sort })
        : store.page(access, { ...request, sort }),
  };
}

function valuesOf(item: BalanceItem): Readonly<Record<SortName, string>> {
  const { deal, facility, contract, borrower } = item;
  const own = ownOf(item);
  const maturity = contract === null ? facility?.maturityDate : contract.maturityDate;
  const inCurrency = (amount: bigint | undefined) => `${item.currency} ${amount}`;
  return {
    dealNumber: deal.dealNumber,
    facilityName: `${facility?.name}`,
    borrower: borrower.name,
    maturityDate: maturity ?? 'infinity',
    outstanding: inCurrency(own && outstandingPrincipal(own)),
    unfunded: inCurrency(own?.unfunded),
    commitment: inCurrency(own && currentCommitment(own)),
    available: inCurrency(own?.available),
  };
}

/** Without the columns that came with its balances. */
const shownOf = ({ global, lenders, ...rest }: BalanceItem) => ({
  ...rest,
  global: [outstandingPrincipal(global), global.unfunded],
  lenders: lenders.map(({ lender, balance }) => [lender, outstandingPrincipal(balance)]),
});

const isOf =
  (id: string) =>
  ({ lender }: { readonly lender: { readonly id: string } }) =>
    lender.id === id;

/** Amounts by currency, then by size; text by code point; equal ones by key, whatever the direction. */
function ordered(first: BalanceItem, second: BalanceItem, { by, descending }: AnySort) {
  const isAmount = isAmountSort(by);
  if (isAmount && first.currency !== second.currency) {
    return first.currency < second.currency ? -1 : 1;
  }
  const [a, b] = [first.end, second.end];
  const [one, other] = [a, b].map(({ sortValue }) =>
    isAmount
      ? BigInt(sortValue?.split(' ')[1] ?? 0)
      : Buffer.from(sortValue ?? '').toString('latin1'),
  );
  if (one === other || one === undefined || other === undefined) return Number(a.key - b.key);
  return one < other === descending ? 1 : -1;
}
