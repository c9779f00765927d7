import type { Database } from '@cls/shared/sql/database';
import type {
  BalanceStore,
  BookedTotal,
  FacetValue,
  FilterRequest,
  MarkedItem,
  ReaderAccess,
  ValuedItem,
} from '../balances/balance-store.ts';
import type { TotalBalance } from '../ledger/balance.ts';
import { facetsStatement } from './facets.ts';
import { FEW_DEALS, fewDeals } from './few-deals.ts';
import { isAnsweredBy } from './filter-sql.ts';
import { ratedOn, totalsOn } from './item-columns.ts';
import { type KeptDeals, type KeptItems, SMALL_BOOK } from './kept-items.ts';
import { accruingStatement, owingStatement, valuesStatement } from './marked-items.ts';
import { type SeriesRow, seriesStatement, toStep } from './principal-series.ts';
import { lookUp, readAs } from './read-as.ts';
import { hadMoreItems } from './read-page.ts';
import {
  bookTotalsStatement,
  type GroupRow,
  groupTotalsStatement,
  toGroup,
  totalsStatement,
} from './totals.ts';

/** What is asked of all items of a filter. */
export function filterTotals(database: Database, facts: Database, itemsOf: KeptItems) {
  /** The deals that the filter and the caller's grants leave, looked up once for a question. */
  const dealsOf = async (
    access: ReaderAccess,
    { narrowing = {}, ...request }: Pick<FilterRequest, 'level' | 'filter' | 'narrowing'>,
  ): Promise<readonly bigint[] | undefined> => {
    if ('fullControl' in access && isAnsweredBy('ofBookTotals', request.filter)) return undefined;
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
      const isWhole = request.groupBy === undefined && isAnsweredBy('ofBookTotals', request.filter);
      const kept =
        isWhole && (await hadMoreItems(facts, request, most))
          ? await keptTotals(database, access, request)
          : undefined;
      if (kept !== undefined) {
        const undivided = { group: null, rest: false, party: null, details: undefined };
        return kept.map((total) => ({ ...total, ...undivided }));
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
      const few = await itemsOf(access, request, 'few deals');
      if (few !== undefined) return addedUp(database, access, request, few);
      const whole = isAnsweredBy('ofBookTotals', request.filter)
        ? await keptTotals(database, access, request)
        : undefined;
      if (whole !== undefined) return whole;
      if (most === undefined || most >= SMALL_BOOK) {
        const all = await itemsOf(access, request, 'all');
        if (all !== undefined) return addedUp(database, access, request, all);
      }
      const deals = await dealsOf(access, request);
      if (deals === undefined && most !== undefined) {
        if (await hadMoreItems(facts, request, most)) return undefined;
      }
      const rows = await readAs<TotalRow>(database, access, totalsStatement(request, deals));
      return rows.map(toTotal);
    },
    async accruing(access, request) {
      const kept =
        request.groupBy === undefined
          ? ((await itemsOf(access, request, 'few deals')) ??
            (await itemsOf(access, request, 'with rates')))
          : undefined;
      const asked = kept === undefined ? await dealsOf(access, request) : kept.unknown;
      const known = kept === undefined ? [] : ratedOn(kept.known, request);
      if (asked?.length === 0) return known;
      const statement = accruingStatement(request, asked);
      return [...known, ...(await readAs<MarkedItem>(database, access, statement))];
    },
    owing: async (access, request) =>
      readAs(database, access, owingStatement(request, await dealsOf(access, request))),
    async series(access, request) {
      const statement = seriesStatement(request, await dealsOf(access, request));
      return (await readAs<SeriesRow>(database, access, statement)).map(toStep);
    },
  } satisfies Partial<BalanceStore>;
}

/** Undefined where the reader sees a part of the book alone. */
async function keptTotals(
  database: Database,
  access: ReaderAccess,
  request: Pick<FilterRequest, 'level' | 'filter' | 'snapshot'>,
): Promise<readonly BookedTotal[] | undefined> {
  const rows = await readAs<BookTotalRow>(database, access, bookTotalsStatement(request));
  if (!rows.some(({ seen }) => seen)) return undefined;
  return rows.flatMap(({ seen: _, ...row }) => (row.currency === null ? [] : toTotal(row)));
}

/** What the items of deals come to, by their histories where these are known. */
async function addedUp(
  database: Database,
  access: ReaderAccess,
  request: FilterRequest,
  { known, unknown }: KeptDeals,
): Promise<readonly BookedTotal[]> {
  if (unknown.length === 0) return totalsOn(known, request);
  const rows = await readAs<TotalRow>(database, access, totalsStatement(request, unknown));
  return totalsOn(known, request, rows.map(toTotal));
}

type TotalRow = TotalBalance & { readonly currency: string; readonly count: bigint };
/** Without a currency: nothing is in the book. */
type BookTotalRow = (TotalRow | { readonly currency: null }) & { readonly seen: boolean };

function toTotal({ currency, count, ...balance }: TotalRow): BookedTotal {
  return { currency, count: Number(count), balance };
}
