import type { Database } from '@cls/shared/sql/database';
import type { ItemPage, PageRequest, ReaderAccess } from '../../ask/balance-store.ts';
import { FEW_DEALS, fewDeals } from '../../ask/sql/few-deals.ts';
import { lookUp } from '../../ask/sql/statement.ts';
import { readFound } from './page-rows.ts';
import {
  hadMoreItemsStatement,
  pageStatement,
  type WalkBounds,
  type WalkRow,
  walkedItems,
} from './page-walk.ts';

interface PageDeps {
  readonly database: Database;
  /** Answers what is of the book itself. */
  readonly facts: Database;
  readonly bounds: WalkBounds;
}

/**
 * A page is found by a walk in its order, and then read. A walk that was given up gives a short page,
 * so that no page costs more than its bounds; in a small book the page is filled whatever it takes.
 */
export async function readPage(
  { database, facts, bounds }: PageDeps,
  access: ReaderAccess,
  request: PageRequest,
): Promise<ItemPage> {
  const { givenUp, ...page } = await walkPage(database, access, request, bounds);
  const { next } = page;
  if (!givenUp || next === undefined) return page;
  const { after } = request;
  const furtherOn =
    next.key !== (after?.key ?? 0n) || next.sortValue !== (after?.sortValue ?? null);
  if (furtherOn && (await hadMoreItems(facts, request, bounds.smallBook))) return page;
  const { givenUp: _, ...whole } = await walkPage(database, access, request, undefined);
  return whole;
}

/** Where the filter or the caller's grants leave few deals, a page looks at their items alone. */
function walkPage(
  database: Database,
  access: ReaderAccess,
  request: PageRequest,
  bounds: WalkBounds | undefined,
): Promise<ItemPage & { readonly givenUp: boolean }> {
  const { level, sort, snapshot, limit } = request;
  return lookUp(database, access, async (transaction) => {
    const most = sort === undefined ? FEW_DEALS.toWalk : FEW_DEALS.toSort;
    const deals = await fewDeals(transaction, access, request, most);
    const statement = pageStatement(request, bounds, deals);
    const walked = await transaction.query<WalkRow>(statement.sql, statement.parameters);
    const { found, stopped } = walkedItems(walked);
    const next = found.length > limit ? found[limit - 1] : stopped;
    const items = await readFound(transaction, level, snapshot, found.slice(0, limit));
    return { items, next, givenUp: stopped !== undefined };
  });
}

/** Whether the book had more items of a level than so many, as known at the snapshot. */
export async function hadMoreItems(
  facts: Database,
  { level, snapshot }: Pick<PageRequest, 'level' | 'snapshot'>,
  items: number,
): Promise<boolean> {
  const { sql, parameters } = hadMoreItemsStatement(level, snapshot, items);
  const [row] = await facts.query<{ more: boolean }>(sql, parameters);
  return row?.more === true;
}
