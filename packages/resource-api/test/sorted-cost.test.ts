import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  type BalanceFilter,
  isAmountSort,
  LEVELS,
  type Level,
  NO_FILTER,
  type PageEnd,
  type PageRequest,
  type ReaderAccess,
  type Sort,
  STORED_SORTS,
} from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { costOf } from './support/cost.ts';

const LIMIT = 10;
const EVERYTHING: ReaderAccess = { fullControl: true };
/** Words that begin with another are looked through up to a limit. */
const LOOKED_UP = 3_000;
const DAY = date('2024-06-30');

interface Book {
  readonly database: Database;
  readonly ledgerSeq: bigint;
}

describeOnDatabase('what a sorted page costs', (engine) => {
  let small: Book;
  let large: Book;

  const bookOf = async (loans: number): Promise<Book> => {
    const database = await engine.open(MIGRATIONS);
    const rows = Array.from({ length: loans }, loan);
    const report = await importWorldBank(database, statement('06/30/2024', rows));
    if (report.outcome !== 'applied') throw new Error(JSON.stringify(report.faults[0]));
    const { grant } = sqlEntitlements(database);
    const agent = { role: 'agent', lenderId: undefined } as const;
    await grant({ ...agent, customer: 'agency', deals: { allDeals: true } } as never);
    await grant({ ...agent, customer: 'india', deals: { country: 'IN' } } as never);
    const [row] = await database.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM journal');
    return { database, ledgerSeq: row?.seq ?? 0n };
  };
  before(async function () {
    this.timeout(0);
    small = await bookOf(300);
    large = await bookOf(1_200);
  });
  after(() => Promise.all([small?.database.close(), large?.database.close()]));

  const request = (
    { ledgerSeq }: Book,
    level: Level,
    sort: Sort,
    after: PageEnd | undefined,
    limit = LIMIT,
  ): PageRequest => ({
    ...{ level, filter: NO_FILTER, snapshot: { asOf: DAY, ledgerSeq }, sort, after, limit },
  });
  const cost = (book: Book, access: ReaderAccess, level: Level, sort: Sort, after?: PageEnd) =>
    costOf(book.database, async (counting) => {
      const page = await sqlBalanceStore(counting).page(access, request(book, level, sort, after));
      expect(page.items.length).to.equal(LIMIT);
      expect(page.next).to.deep.equal(page.items.at(-1)?.end);
    });
  const middle = async (book: Book, level: Level, sort: Sort) => {
    const store = sqlBalanceStore(book.database);
    const { items } = await store.page(EVERYTHING, request(book, level, sort, undefined, 100_000));
    return items[Math.floor(items.length / 2)]?.end;
  };
  type Work = (sort: Sort, note: string) => Promise<void>;
  const everySort = async (work: Work, directions: readonly boolean[] = [false, true]) => {
    for (const by of STORED_SORTS) {
      for (const descending of directions) {
        await work({ by, descending }, `${descending ? '-' : ''}${by}`);
      }
    }
  };
  /** In one direction: half of the levels have the one, half the other. */
  const everySortAt = (level: Level, work: Work) =>
    everySort(work, EXHAUSTIVE ? undefined : [LEVELS.indexOf(level) % 2 === 0]);

  it('is that of a page of a small book at every level', async function () {
    this.timeout(0);
    for (const level of LEVELS) {
      await everySortAt(level, async (sort, note) => {
        const less = await cost(small, EVERYTHING, level, sort);
        const more = await cost(large, EVERYTHING, level, sort);
        expect(more, `${level} ${note}`).to.be.lessThan(1.5 * less);
      });
    }
  });

  it('is that of the first page in the middle of the book', async function () {
    this.timeout(0);
    await everySort(async (sort, note) => {
      const first = await cost(large, EVERYTHING, 'facility', sort);
      const after = await middle(large, 'facility', sort);
      const later = await cost(large, EVERYTHING, 'facility', sort, after);
      expect(later, note).to.be.lessThan(2 * first);
    });
  });

  it('has a limit where a filter leaves next to nothing of a large book', async function () {
    this.timeout(0);
    const bounds = { candidates: 30, candidatesPerItem: 2, smallBook: 100, smallLedger: 0 };
    const rare = async (
      { database, ledgerSeq }: Book,
      level: Level,
      sort: Sort | undefined,
      filter: BalanceFilter,
    ) => {
      const asked = { level, filter, snapshot: { asOf: DAY, ledgerSeq }, sort };
      return costOf(database, async (counting) => {
        const few = sqlBalanceStore(counting, database, bounds);
        const page = await few.page(EVERYTHING, { ...asked, after: undefined, limit: LIMIT });
        expect(page.items).to.deep.equal([]);
        // Amounts are walked by currency: that the book has none of one is seen at once.
        const isSeen = sort !== undefined && isAmountSort(sort.by) && filter.currencies.length > 0;
        expect(page.next === undefined).to.equal(isSeen);
      });
    };
    for (const level of LEVELS) {
      for (const includesSort of [false, true]) {
        const ask = async (sort: Sort | undefined, note: string) => {
          for (const rarely of [
            { currencies: ['XXX'] },
            { pastDue: true },
            { currencies: ['XXX'], search: 'project borrower' },
          ]) {
            const filter = { ...NO_FILTER, ...rarely };
            const less = await rare(small, level, sort, filter);
            const more = await rare(large, level, sort, filter);
            const index = 'search' in rarely ? LOOKED_UP : 0;
            expect(more, `${level} ${note}`).to.be.lessThan(1.5 * less + index);
          }
        };
        await (includesSort ? everySortAt(level, ask) : ask(undefined, 'unsorted'));
      }
    }
  });

  it('is that of what is found, where the filter says when items mature', async () => {
    const range = { maturityFrom: date('2030-01-01'), maturityTo: date('2030-12-31') };
    const nothing = { maturityTo: date('2020-12-31') };
    for (const level of LEVELS) {
      const ask = (book: Book, filter: Partial<BalanceFilter>) =>
        costOf(book.database, async (counting) => {
          const asked = request(book, level, { by: 'maturityDate', descending: true }, undefined);
          const few = { ...asked, filter: { ...NO_FILTER, ...filter } };
          const { items } = await sqlBalanceStore(counting).page(EVERYTHING, few);
          expect(items.length).to.equal(filter === range ? LIMIT : 0);
        });
      expect(await ask(large, range), level).to.be.lessThan(8 * (await ask(small, range)));
      expect(await ask(large, nothing), level).to.be.lessThan(200);
    }
  });

  it('is that of what is found, where words are searched for', async function () {
    this.timeout(0);
    for (const access of [EVERYTHING, { customer: 'agency' }]) {
      for (const search of ['loan00123', 'project loan00123', 'nothing project']) {
        const count = search === 'nothing project' ? 0 : 1;
        for (const level of LEVELS) {
          for (const sort of [undefined, { by: 'outstanding', descending: true } as const]) {
            const ask = ({ database, ledgerSeq }: Book) =>
              costOf(database, async (counting) => {
                const snapshot = { asOf: DAY, ledgerSeq };
                const filter = { ...NO_FILTER, search, includeZero: true };
                const asked = { level, filter, snapshot, sort, after: undefined, limit: LIMIT };
                const { items } = await sqlBalanceStore(counting).page(access, asked);
                expect(items.length, search).to.equal(level === 'position' ? count * 2 : count);
              });
            const [less, more] = [await ask(small), await ask(large)];
            expect(more, `${level} ${search}`).to.be.lessThan(1.5 * less + LOOKED_UP);
          }
        }
      }
    }
  });

  for (const customer of ['agency', 'india']) {
    it(`is that of a page of a small book for a customer of many deals (${customer})`, async function () {
      this.timeout(0);
      await everySort(async (sort, note) => {
        const less = await cost(small, { customer }, 'facility', sort);
        const more = await cost(large, { customer }, 'facility', sort);
        expect(more, note).to.be.lessThan(1.5 * less);
      });
    });
  }
});

/** Loans with names and borrowers in common. Every third one is repaid, whenever it was to mature. */
function loan(_: unknown, number: number): Record<string, string> {
  // Any amount, wherever in the file a loan is.
  const disbursed = number % 3 === 0 ? 0 : 1_000 + ((number * 7_919) % 10_007);
  const original = 20_000;
  const undisbursed = disbursed === 0 ? 0 : original - disbursed;
  const year = 2025 + ((number * 31) % 11);
  return {
    'Loan Number': `LOAN${`${number}`.padStart(5, '0')}`,
    'Loan Status': disbursed === 0 ? 'Fully Repaid' : 'Repaying',
    'Project Name': `Project ${(number * 13) % 41}`,
    Borrower: `Borrower ${(number * 17) % 23}`,
    'Country / Economy Code': number % 5 === 0 ? 'BR' : 'IN',
    'Last Repayment Date': `06/15/${year}`,
    'Original Principal Amount': `${original}`,
    'Undisbursed Amount': `${undisbursed}`,
    'Disbursed Amount': `${original - undisbursed}`,
    'Repaid to IBRD': `${original - undisbursed - disbursed}`,
    'Due to IBRD': `${disbursed}`,
    "Borrower's Obligation": `${disbursed}`,
    'Loans Held': `${disbursed + undisbursed}`,
  };
}
