import { Random } from '@cls/book-generator/random';
import { systemClock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines, type Engine } from '@cls/testing/engines';
import { rounds } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { type BusinessDate, businessDateOf } from '../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceStore,
  LEVELS,
  type Level,
  type Movement,
  type MovementRequest,
  NO_FILTER,
  type PageRequest,
  type ReaderAccess,
  type Snapshot,
} from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date } from './support/book.ts';
import { blocksOf, counted, nodesOf, rowsOf } from './support/cost.ts';
import { generated, loadRecords } from './support/generated.ts';
import { everyMovement } from './support/pages.ts';

const EVERYTHING: ReaderAccess = { fullControl: true };
const CUSTOMER = 'one-deal';
const LIMIT = 10;

describeOnEngines('what a question costs', (engine) => {
  let database: Database;
  let store: BalanceStore;
  let read = 0;
  let compared = 0;
  let sorted = false;
  let walks = 0;
  let bitmaps = 0;
  let hashed: readonly string[] = [];
  let snapshot: Book['snapshot'];
  let book: Book['book'];

  before(async function () {
    this.timeout(120_000);
    ({ database, snapshot, book } = await openBook(engine, { contracts: 120 }));
    store = countingStore(database);
  });
  after(() => database?.close());

  const countingDatabase = (counting: Database) =>
    counted(counting, (plan) => {
      read += blocksOf(plan);
      compared += rowsOf(nodesOf(plan));
      const types = nodesOf(plan).map((node) => node['Node Type']);
      bitmaps += types.filter((type) => type === 'BitmapAnd').length;
      const filters = nodesOf(plan).map(({ Filter: filter = '' }) => filter);
      hashed = [...hashed, ...filters.filter((filter) => filter.includes('hashed SubPlan'))];
      if (!types.includes('WindowAgg')) return;
      walks += 1;
      sorted ||= types.includes('Sort');
    });
  const countingStore = (counting: Database) => sqlBalanceStore(countingDatabase(counting));

  const cost = async (ask: () => Promise<unknown>): Promise<number> => {
    read = 0;
    compared = 0;
    await ask();
    return Math.max(read, compared);
  };
  const page = (level: Level, change: Partial<PageRequest> = {}): PageRequest => ({
    ...{ level, filter: NO_FILTER, snapshot, sort: undefined, after: undefined, limit: LIMIT },
    ...change,
  });
  const movements = (filter = {}, change = {}, access: ReaderAccess = EVERYTHING) =>
    cost(() =>
      store.movements(access, {
        ...{ filter: { ...NO_FILTER, ...filter }, snapshot, limit: LIMIT },
        ...{ fromDate: undefined, after: undefined, ...change },
      }),
    );

  const movementsOf = (asked: Partial<MovementRequest>, of: Pick<Book, 'database' | 'snapshot'>) =>
    everyMovement(sqlBalanceStore(of.database), EVERYTHING, {
      ...{ filter: NO_FILTER, limit: LIMIT, fromDate: undefined, after: undefined },
      ...{ snapshot: of.snapshot, ...asked },
    });

  it('is that of the page for a page of movements, wherever in the book it is', async () => {
    const costs = {
      first: await movements(),
      middle: await movements({}, { after: { seq: snapshot.ledgerSeq / 2n, number: 1 } }),
      last: await movements({}, { after: { seq: snapshot.ledgerSeq - 1n, number: 1 } }),
      ofDeal: await movements({ dealIds: [book.deal] }),
      ofBorrower: await movements({ borrowerIds: [book.borrower] }),
      ofLender: await movements({ lenderIds: [book.lender] }),
      ofCurrency: await movements({ currencies: ['USD'] }),
      granted: await movements({}, {}, { customer: CUSTOMER }),
      ofLastDay: await movements({}, { fromDate: snapshot.asOf }),
      ofLastYear: await movements({}, { fromDate: yearBefore(snapshot.asOf) }),
      afterBook: await movements({}, { fromDate: date('9999-01-01') }),
    };
    for (const [question, buffers] of Object.entries(costs)) {
      expect(buffers, question).to.be.lessThan(book.postings / 4);
    }
  });

  it('is no more for each item where many items are read at once', async () => {
    // As autovacuum does when it comes by: plans are others then.
    await database.execute('ANALYZE');
    const request = { level: 'contract', filter: NO_FILTER, snapshot } as const;
    const items = await store.accruing(EVERYTHING, { ...request, limit: 1_000 });
    const found = items.map(({ key }) => key);
    expect(found.length).to.be.greaterThan(80);
    const told: Record<string, (keys: readonly bigint[]) => Promise<unknown>> = {
      accruals: (keys) => store.accrualsOf('contract', keys, snapshot),
      'amounts of accruals': (keys) => store.accrualAmountsOf('contract', keys, snapshot),
      'what is past due': (keys) => store.pastDueOf('contract', keys, snapshot),
      balances: (keys) => store.balancesOf(EVERYTHING, 'contract', keys, snapshot),
      terms: (keys) => store.termsOf(EVERYTHING, 'contract', keys, snapshot),
      movements: (keys) =>
        store.movementsOf(EVERYTHING, 'contract', keys, {
          ...{ snapshot, fromDate: snapshot.asOf, limit: LIMIT },
        }),
    };
    for (const [what, of] of Object.entries(told)) {
      const each = async (keys: readonly bigint[]) => (await cost(() => of(keys))) / keys.length;
      const [few, all] = [await each(found.slice(0, 10)), await each(found)];
      expect(few, what).to.be.lessThan(book.postings / 50);
      expect(all, `${what}: ${few} each for 10`).to.be.lessThan(2 * few);
    }
  });

  it('is that of the deals of a caller for what is added up, counted and told one by one', async () => {
    const access = { customer: CUSTOMER };
    const request = { level: 'facility', filter: NO_FILTER, snapshot } as const;
    const period = {
      interval: 'month',
      from: yearBefore(snapshot.asOf),
      to: snapshot.asOf,
    } as const;
    const fields = ['country', 'currency', 'status', 'lender', 'borrower', 'facilityType'] as const;
    const costs = {
      totals: await cost(() =>
        store.groupTotals(access, { ...request, groupBy: 'borrower', top: 10 }, 0),
      ),
      series: await cost(() => store.series(access, { ...request, ...period, limit: 100 })),
      facets: await cost(() => store.facets(access, { ...request, fields, top: 10 })),
      owing: await cost(() => store.owing(access, { ...request, limit: 10 })),
      deal: await cost(() => store.deal(access, book.deal, snapshot)),
      item: await cost(() =>
        store.item(access, { level: 'deal', id: book.deal, currency: 'USD' }, snapshot),
      ),
      granted: await cost(() => store.granted(access, snapshot, 1_000)),
      terms: await cost(() => store.termsOf(access, 'facility', [1n], snapshot)),
    };
    for (const [question, buffers] of Object.entries(costs)) {
      expect(buffers, question).to.be.lessThan(book.postings / 10);
    }
  });

  it('has the movements of a period whole and in order, whichever way they are found', async () => {
    const whole = { database, snapshot };
    const all = await movementsOf({ limit: 100_000 }, whole);
    expect(all.length).to.be.greaterThan(1_000);
    for (const fromDate of [snapshot.asOf, yearBefore(snapshot.asOf)]) {
      const since = all.filter(({ effectiveDate }) => effectiveDate >= fromDate);
      const limit = Math.ceil(since.length / 3) + 1;
      expect(await movementsOf({ fromDate, limit }, whole), fromDate).to.deep.equal(since);
      const filter = { ...NO_FILTER, dealIds: [book.deal] };
      const ofDeal = await movementsOf({ fromDate, limit: 3, filter }, whole);
      expect(ofDeal, fromDate).to.deep.equal(since.filter(({ dealId }) => dealId === book.deal));
    }
  });

  it('has a limit for movements that are rarely of the filter: a page is short, and goes on', async () => {
    const bounds = { candidates: 20, candidatesPerItem: 1, smallBook: 0, smallLedger: 0 };
    const filter = { ...NO_FILTER, currencies: ['XXX'] };
    const asked = { filter, snapshot, limit: LIMIT };
    for (const fromDate of [undefined, snapshot.asOf, yearBefore(snapshot.asOf)]) {
      const request = { ...asked, fromDate, after: undefined };
      read = 0;
      compared = 0;
      const counting = sqlBalanceStore(countingDatabase(database), database, bounds);
      const { movements: none, next } = await counting.movements(EVERYTHING, request);
      expect(none).to.deep.equal([]);
      expect(next !== undefined, fromDate).to.equal(fromDate !== snapshot.asOf);
      expect(Math.max(read, compared), fromDate).to.be.lessThan(book.postings / 10);
    }
  });

  it('has every movement once and in order on short pages, whoever asks', async function () {
    this.timeout(0);
    const random = new Random(7);
    const few = await openBook(engine, { contracts: 8 });
    const [first, ...later] = await movementsOf({ limit: 100_000 }, few);
    if (first === undefined) throw new Error('the book has no movements');
    const all = [first, ...later] as const;
    const short = sqlBalanceStore(few.database, few.database, {
      ...{ candidates: 3, candidatesPerItem: 1, smallBook: 0, smallLedger: 0 },
    });
    for (let asked = 0; asked < rounds(25); asked += 1) {
      const { currency, dealId, facilityId, effectiveDate } = random.pick(all);
      const fromDate = random.chance(0.5) ? date(effectiveDate) : undefined;
      const filter = random.pick<Partial<BalanceFilter>>([
        {},
        { currencies: [currency] },
        { dealIds: [dealId] },
        { facilityIds: [facilityId], currencies: ['USD'] },
      ]);
      const granted = random.chance(0.3);
      const ledgerSeq = random.chance(0.5) ? few.snapshot.ledgerSeq : random.pick(all).seq;
      const known = { ...few.snapshot, ledgerSeq };
      const expected = all.filter(
        (one) =>
          one.seq <= ledgerSeq &&
          (fromDate === undefined || one.effectiveDate >= fromDate) &&
          (!granted || (one.dealId === few.book.deal && one.lender === null)) &&
          (filter.currencies?.includes(one.currency) ?? true) &&
          (filter.dealIds?.includes(one.dealId) ?? true) &&
          (filter.facilityIds?.includes(one.facilityId) ?? true),
      );
      const found = await everyMovement(short, granted ? { customer: CUSTOMER } : EVERYTHING, {
        ...{ filter: { ...NO_FILTER, ...filter }, snapshot: known, fromDate, after: undefined },
        limit: random.between(1, 40),
      });
      const places = (movements: readonly Movement[]) =>
        movements.map(({ seq, number }) => `${seq}:${number}`);
      expect(places(found), JSON.stringify({ filter, fromDate })).to.deep.equal(places(expected));
    }
    await few.database.close();
  });

  it('is that of the page for a page of balances at every level', async () => {
    for (const level of LEVELS) {
      const buffers = await cost(() => store.page(EVERYTHING, page(level)));
      expect(buffers, level).to.be.lessThan(book.postings / 4);
    }
  });

  it('ends with the page: nothing is sorted before its first item is found', async () => {
    walks = 0;
    for (const level of LEVELS) {
      sorted = false;
      await store.page(EVERYTHING, page(level));
      expect(sorted, level).to.equal(false);
    }
    expect(walks).to.equal(LEVELS.length);
  });

  it('is that of a small book for totals of a large one', async () => {
    const small = await openBook(engine, { contracts: 30 });
    const counting = countingStore(small.database);
    // Of the same years, and of no month or day: which of these have journals goes by the book.
    const asOf = date(`${Number(snapshot.asOf.slice(0, 4)) + 1}-01-01`);
    const filter = { ...NO_FILTER, currencies: ['USD'] };
    const totals = (of: BalanceStore, level: Level, { ledgerSeq }: Book['snapshot']) =>
      cost(() => of.totals(EVERYTHING, page(level, { filter, snapshot: { asOf, ledgerSeq } })));
    for (const level of LEVELS) {
      const less = await totals(counting, level, small.snapshot);
      const more = await totals(store, level, snapshot);
      expect(more, level).to.be.lessThan(1.5 * less);
    }
    await small.database.close();
  });

  it('does not compare each item with each record, for totals of a filter that leaves out few', async () => {
    // The embedded engine takes the same statements, and three times as long.
    const contracts = engine.name === 'PostgreSQL' ? 400 : 200;
    const large = await openBook(engine, { contracts });
    const counting = countingStore(large.database);
    const { snapshot: now } = large;
    for (const level of LEVELS) {
      const filter = { ...NO_FILTER, includeZero: true, pastDueAges: ['0', '1-30'] };
      const request = { level, filter, snapshot: now };
      const costs = {
        totals: await cost(() =>
          counting.totals(EVERYTHING, page(level, { filter, snapshot: now })),
        ),
        groups: await cost(() =>
          counting.groupTotals(EVERYTHING, { ...request, groupBy: 'country', top: 10 }, 1_000_000),
        ),
      };
      for (const [question, rows] of Object.entries(costs)) {
        expect(rows, `${level}: ${question}`).to.be.lessThan(large.book.postings);
      }
    }
    await large.database.close();
  });

  it('has a limit for totals that are not kept: of more items they are left out', async () => {
    const few = 10;
    for (const level of LEVELS) {
      const totals = (filter: BalanceFilter, most?: number) =>
        store.totals(EVERYTHING, page(level, { filter }), most);
      const ofStatus = { ...NO_FILTER, statuses: ['active'] };
      expect(await totals(ofStatus, few), level).to.equal(undefined);
      expect(await totals(ofStatus), level).to.be.an('array');
      expect(await totals(ofStatus, 1_000_000), level).to.deep.equal(await totals(ofStatus));
      // Kept, and of few deals.
      expect(await totals(NO_FILTER, few), level).to.have.lengthOf.greaterThan(0);
      const ofDeal = { ...NO_FILTER, dealIds: [book.deal] };
      expect(await totals(ofDeal, few), level).to.deep.equal(await totals(ofDeal));
    }
  });

  it('is a look-up for each line that lives at the snapshot, for totals of few granted deals', async () => {
    const access = { customer: CUSTOMER };
    const edition = {
      generation: await store.generation(),
      today: businessDateOf(systemClock.now()),
    };
    const totals = (level: Level, of: Snapshot) =>
      store.totals(access, page(level, { snapshot: of }), 0);
    for (const level of LEVELS) {
      const asked = { ...snapshot, edition };
      const all = await totals(level, asked);
      // A borrower sees no positions.
      expect(all, level).to.have.lengthOf(level === 'position' ? 0 : 1);
      // Before the book nothing lives, however many lines there are now.
      const before = { asOf: snapshot.asOf, ledgerSeq: 0n, edition };
      expect(await totals(level, before), level).to.deep.equal([]);
      // From what was looked up: each line's newest balance, and who sees all.
      const again = await cost(() => totals(level, asked));
      expect(again, level).to.be.lessThan(book.postings / 100);
    }
  });

  it('is at level=deal what it is at level=facility', async () => {
    const sort = { by: 'outstanding', descending: true } as const;
    const questions = {
      page: (level: Level) => store.page(EVERYTHING, page(level)),
      sorted: (level: Level) => store.page(EVERYTHING, page(level, { sort })),
      totals: (level: Level) => store.totals(EVERYTHING, page(level)),
    };
    for (const [question, ask] of Object.entries(questions)) {
      const facility = await cost(() => ask('facility'));
      const deal = await cost(() => ask('deal'));
      expect(deal, question).to.be.lessThan(4 * facility);
    }
  });

  it('never reads a second index for the rows of an item, also after ANALYZE', async () => {
    await database.execute('ANALYZE');
    for (const level of LEVELS) {
      const { items } = await store.page(EVERYTHING, page(level, { limit: 1_000 }));
      const keys = items.map(({ end }) => end.key);
      const edition = { generation: '1', today: snapshot.asOf };
      const questions: Record<string, () => Promise<unknown>> = {
        accruing: () => store.accruing(EVERYTHING, { ...page(level), limit: 1_000 }),
        'accruing of few deals': () => store.accruing({ customer: CUSTOMER }, page(level)),
        accruals: () => store.accrualsOf(level, keys, snapshot),
        'kept accruals': () => store.accrualAmountsOf(level, keys, { ...snapshot, edition }),
        'what is past due': () => store.pastDueOf(level, keys, snapshot),
        balances: () => store.balancesOf(EVERYTHING, level, keys, snapshot),
        terms: () => store.termsOf(EVERYTHING, level, keys, snapshot),
        movements: () =>
          store.movementsOf(EVERYTHING, level, keys, {
            ...{ snapshot, fromDate: snapshot.asOf, limit: LIMIT },
          }),
        'totals of a deal': () =>
          store.totals(EVERYTHING, page(level, { filter: { ...NO_FILTER, dealIds: [book.deal] } })),
      };
      for (const [question, ask] of Object.entries(questions)) {
        bitmaps = 0;
        await ask();
        expect(bitmaps, `${question} at level ${level}`).to.equal(0);
      }
    }
  });

  it('is a look-up for each grant, position and name, also after ANALYZE', async () => {
    await database.execute('ANALYZE');
    hashed = [];
    for (const level of LEVELS) {
      await store.page(EVERYTHING, page(level));
      await store.page({ customer: CUSTOMER }, page(level));
    }
    expect(hashed).to.deep.equal([]);
  });
});

type Book = Awaited<ReturnType<typeof openBook>>;

/** A book of two years as a load leaves it, which analyses no table, and a caller who sees one deal. */
async function openBook(engine: Engine, plan: { readonly contracts: number }) {
  const database = await engine.open(MIGRATIONS);
  await loadRecords(database, generated({ ...plan, years: 2 }).records);
  const [row] = await database.query<{ seq: bigint; last: BusinessDate; postings: number }>(
    `SELECT max(seq) AS seq, max(effective_date) AS last,
       (SELECT count(*)::int FROM posting) AS postings FROM journal`,
  );
  const [last] = await database.query<{ deal: string; borrower: string; lender: string }>(
    `SELECT d.id AS deal, b.id AS borrower, y.id AS lender
     FROM deal d JOIN party b ON b.key = d.borrower_key
     JOIN lender_position q ON q.deal_key = d.key JOIN party y ON y.key = q.lender_key
     ORDER BY d.key DESC, q.key LIMIT 1`,
  );
  if (row === undefined || last === undefined) throw new Error('the book is empty');
  const book = { ...last, postings: row.postings };
  await database.query(
    `INSERT INTO entitlement_rule (customer_id, role, deal_key)
     SELECT $1, 'borrower', key FROM deal WHERE id = $2`,
    [CUSTOMER, book.deal],
  );
  return { database, book, snapshot: { asOf: row.last, ledgerSeq: row.seq } };
}

function yearBefore(day: BusinessDate): BusinessDate {
  return date(`${Number(day.slice(0, 4)) - 1}${day.slice(4).replace('-02-29', '-02-28')}`);
}
