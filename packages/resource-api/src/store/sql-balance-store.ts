import { groupBy } from '@cls/shared/group-by';
import type {
  BalanceStore,
  DealFacts,
  FormerLine,
  GrantFacts,
  ItemBalances,
  ItemTerms,
  Movement,
} from '../balances/balance-store.ts';
import { accrualStatement } from './accrual-statement.ts';
import { type StreamRow, toStreams } from './accrual-streams.ts';
import { balancesStatement, foundPageStatement } from './balance-statements.ts';
import { bookFacts, type Facts } from './book-facts.ts';
import { changedDealsStatement } from './changed-deals.ts';
import { filterTotals } from './filter-totals.ts';
import { grantedItems } from './granted-items.ts';
import { grantsStatement } from './grants-statement.ts';
import { journaledDeals } from './journaled-deals.ts';
import { keptAccruals } from './kept-accruals.ts';
import { keptItems } from './kept-items.ts';
import { itemMovementsStatement, readMovements } from './movement-page.ts';
import { dealStatement, readItem } from './one-item.ts';
import { type PageRow, toBalance, toItems } from './page-rows.ts';
import { WALK_BOUNDS, type WalkBounds } from './page-walk.ts';
import { type DueRow, dueStatement, toPastDue } from './past-due-statement.ts';
import { lastQuery, lookUp, readAll, readAs } from './read-as.ts';
import { type PageDeps, readPage } from './read-page.ts';
import { termsStatement } from './terms-statement.ts';

/**
 * Balances in SQL, read under row-level security. A page is two statements that are sent together: one
 * finds its items, one reads them. `facts` answers what is a look-up of the book itself, which questions
 * of several callers share.
 */
export function sqlBalanceStore(
  database: PageDeps['database'],
  facts: Facts = database,
  bounds: WalkBounds = WALK_BOUNDS,
): BalanceStore {
  // A replica may be behind what the primary has.
  const tellsGeneration = facts.generation === undefined;
  const granted = grantedItems();
  const pages = { database, facts, granted, bounds, tellsGeneration };
  const journaled = journaledDeals(database);
  return {
    ...filterTotals(database, facts, keptItems(database, facts, journaled, granted)),
    ...bookFacts(database, facts),
    pagesTellGeneration: tellsGeneration,
    async page(access, request) {
      const { rows, next } = await readPage<PageRow>(pages, access, request);
      const found = toItems(request.level, rows);
      const items = found.slice(0, request.limit);
      return { items, next: found.length > request.limit ? items.at(-1)?.end : next };
    },
    async itemsOf(access, level, found, snapshot) {
      if (found.length === 0) return [];
      const statement = foundPageStatement(level, snapshot, found);
      return toItems(
        level,
        await lookUp(database, access, (on) => lastQuery<PageRow>(on, statement)),
      );
    },
    item: (access, name, snapshot) => readItem(database, access, name, snapshot),
    async deal(access, id, snapshot) {
      const [row] = await readAs<{ deal: DealFacts }>(
        database,
        access,
        dealStatement(id, snapshot),
      );
      return row?.deal;
    },
    async granted(access, snapshot, most) {
      const [row] = await readAs<GrantFacts>(
        database,
        access,
        grantsStatement(access, snapshot, most),
      );
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
    async termsOf(access, level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      const statement = termsStatement(level, keys, snapshot);
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
    accrualAmountsOf: keptAccruals(database, journaled),
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
