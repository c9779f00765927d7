import { groupBy } from '@cls/shared/group-by';
import type { Database } from '@cls/shared/sql/database';
import type { TotalBalance } from '../ledger/balance.ts';
import { type Memories, openMemories } from '../memory/memories.ts';
import { accrualStatement } from './accruals/sql/accrual-statement.ts';
import { type StreamRow, toStreams } from './accruals/sql/accrual-streams.ts';
import { cachedAccruals } from './accruals/sql/cached-accruals.ts';
import { type DueRow, dueStatement, toPastDue } from './accruals/sql/past-due-statement.ts';
import type {
  BalanceStore,
  BookedTotal,
  DealFacts,
  FacetValue,
  FilterRequest,
  FormerLine,
  GrantFacts,
  ItemBalances,
  ItemTerms,
  Movement,
  ReaderAccess,
  ValuedItem,
} from './ask/balance-store.ts';
import { bookFacts, type Facts } from './ask/sql/book-facts.ts';
import { FEW_DEALS, fewDeals } from './ask/sql/few-deals.ts';
import { asksForWholeBook } from './ask/sql/filter-sql.ts';
import { grantsStatement } from './ask/sql/grants-statement.ts';
import { lookUp, readAll, readAs } from './ask/sql/statement.ts';
import { changedDealsStatement } from './lists/sql/changed-deals.ts';
import { itemMovementsStatement, readMovements } from './lists/sql/movement-page.ts';
import { type SeriesRow, seriesStatement, toStep } from './lists/sql/principal-series.ts';
import { termsStatement } from './lists/sql/terms-statement.ts';
import { dealStatement, readItem } from './page/sql/one-item.ts';
import { balancesStatement, readFound, toBalance } from './page/sql/page-rows.ts';
import { hadMoreItems, readPage, WALK_BOUNDS, type WalkBounds } from './page/sql/page-walk.ts';
import { facetsStatement } from './totals/sql/facets.ts';
import { accruingStatement, owingStatement, valuesStatement } from './totals/sql/marked-items.ts';
import {
  bookTotalsStatement,
  type GroupRow,
  groupTotalsStatement,
  toGroup,
  totalsStatement,
} from './totals/sql/totals.ts';

/**
 * Balances in SQL, read under row-level security. A page is two statements: one
 * finds its items, one reads them. `facts` answers what is a look-up of the book itself, which questions
 * of several callers share.
 */
export function sqlBalanceStore(
  database: Database,
  facts: Facts = database,
  bounds: WalkBounds = WALK_BOUNDS,
  memories: Memories = openMemories(),
): BalanceStore {
  const pages = { database, facts, bounds };
  return {
    ...filterTotals(database, facts),
    ...bookFacts(database, facts),
    page: (access, request) => readPage(pages, access, request),
    async itemsOf(access, level, found, snapshot) {
      if (found.length === 0) return [];
      return lookUp(database, access, (on) => readFound(on, level, snapshot, found));
    },
    item: (access, name, snapshot) => readItem(database, access, name, snapshot),
    async deal(access, id, snapshot) {
      const statement = dealStatement(id, snapshot);
      const [row] = await readAs<{ deal: DealFacts }>(database, access, statement);
      return row?.deal;
    },
    async granted(access, snapshot, most) {
      const statement = grantsStatement(access, snapshot, most);
      const [row] = await readAs<GrantFacts>(database, access, statement);
      return row ?? { roles: [], parties: [], deals: 0 };
    },
    async balancesOf(access, level, keys, snapshot) {
      const found = new Map<bigint, Map<string, FormerLine>>();
      if (keys.length === 0) return found;
      const statement = balancesStatement(level, keys, snapshot);
      for (const row of await readAs<ItemRow>(database, access, statement)) {
        const item = found.get(row.key) ?? new Map<string, FormerLine>();
        const line = { lenderName: row.lender_name, balance: toBalance(row.amounts) };
        found.set(row.key, item.set(row.lender_id ?? '', line));
      }
      return found satisfies ReadonlyMap<bigint, ItemBalances>;
    },
    async termsOf(access, level, keys, snapshot, withRates) {
      if (keys.length === 0) return new Map();
      const statement = termsStatement(level, keys, snapshot, withRates);
      const rows = await readAs<{ key: bigint; terms: ItemTerms }>(database, access, statement);
      return new Map(rows.map(({ key, terms }) => [key, terms]));
    },
    async pastDueOf(level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      return toPastDue(await readAll<DueRow>(database, dueStatement(level, keys, snapshot)));
    },
    async accrualsOf(level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      const statement = accrualStatement(level, keys, snapshot);
      return toStreams(await readAll<StreamRow>(database, statement));
    },
    accrualAmountsOf: cachedAccruals(database, memories),
    movements: (access, request) => readMovements(database, facts, access, request, bounds),
    async movementsOf(access, level, keys, { snapshot, fromDate, limit }) {
      if (keys.length === 0) return new Map();
      const statement = itemMovementsStatement(level, keys, snapshot, fromDate, limit);
      type Row = Movement & { readonly item: bigint };
      return groupBy(await readAs<Row>(database, access, statement), ({ item }) => item);
    },
    changedDeals: (access, request) => readAs(database, access, changedDealsStatement(request)),
  };
}

interface ItemRow {
  readonly key: bigint;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  readonly amounts: string;
}

/** What is asked of all items of a filter. */
function filterTotals(database: Database, facts: Database) {
  /** The deals that the filter and the caller's grants leave, looked up once for a question. */
  const dealsOf = async (
    access: ReaderAccess,
    { narrowing = {}, ...request }: Pick<FilterRequest, 'level' | 'filter' | 'narrowing'>,
  ): Promise<readonly bigint[] | undefined> => {
    if ('fullControl' in access && asksForWholeBook(request.filter)) return undefined;
    narrowing.deals ??= lookUp(database, access, (on) =>
      fewDeals(on, access, request, FEW_DEALS.toWalk),
    );
    return narrowing.deals;
  };
  return {
    async valuesOf(access, request, most) {
      const deals = await dealsOf(access, request);
      if (deals === undefined && (await hadMoreItems(facts, request, most))) return undefined;
      const statement = valuesStatement(request, most, deals);
      const rows = await readAs<ValuedItem>(database, access, statement);
      return rows.length > most ? undefined : rows;
    },
    async groupTotals(access, request, most) {
      const isWhole = request.groupBy === undefined && asksForWholeBook(request.filter);
      const stored =
        isWhole && (await hadMoreItems(facts, request, most))
          ? await storedTotals(database, access, request)
          : undefined;
      if (stored !== undefined) {
        const undivided = { group: null, rest: false, party: null, details: undefined };
        return stored.map((total) => ({ ...total, ...undivided }));
      }
      const statement = groupTotalsStatement(request, await dealsOf(access, request));
      const rows = await readAs<GroupRow>(database, access, statement);
      return rows.map((row) => toGroup(row, request));
    },
    async facets(access, request) {
      const statement = facetsStatement(request, await dealsOf(access, request));
      const rows = await readAs<FacetValue>(database, access, statement);
      return rows.map((row) => ({ ...row, value: row.party?.id ?? row.value }));
    },
    async totals(access, request, most) {
      const deals = await dealsOf(access, request);
      const stored =
        deals === undefined && asksForWholeBook(request.filter)
          ? await storedTotals(database, access, request)
          : undefined;
      if (stored !== undefined) return stored;
      if (deals === undefined && most !== undefined) {
        if (await hadMoreItems(facts, request, most)) return undefined;
      }
      const rows = await readAs<TotalRow>(database, access, totalsStatement(request, deals));
      return rows.map(toTotal);
    },
    accruing: async (access, request) =>
      readAs(database, access, accruingStatement(request, await dealsOf(access, request))),
    owing: async (access, request) =>
      readAs(database, access, owingStatement(request, await dealsOf(access, request))),
    async series(access, request) {
      const statement = seriesStatement(request, await dealsOf(access, request));
      return (await readAs<SeriesRow>(database, access, statement)).map(toStep);
    },
  } satisfies Partial<BalanceStore>;
}

/** Undefined where the reader sees a part of the book alone. */
async function storedTotals(
  database: Database,
  access: ReaderAccess,
  request: Pick<FilterRequest, 'level' | 'filter' | 'snapshot'>,
): Promise<readonly BookedTotal[] | undefined> {
  const rows = await readAs<BookTotalRow>(database, access, bookTotalsStatement(request));
  if (!rows.some(({ seen }) => seen)) return undefined;
  return rows.flatMap(({ seen: _, ...row }) => (row.currency === null ? [] : toTotal(row)));
}

type TotalRow = TotalBalance & { readonly currency: string; readonly count: bigint };
/** Without a currency: nothing is in the book. */
type BookTotalRow = (TotalRow | { readonly currency: null }) & { readonly seen: boolean };

function toTotal({ currency, count, ...balance }: TotalRow): BookedTotal {
  return { currency, count: Number(count), balance };
}
