import type { Database } from '@cls/shared/sql/database';
import {
  type ItemPage,
  isAmountSort,
  type Level,
  type PageEnd,
  type PageRequest,
  type ReaderAccess,
} from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  byLevel,
  currencyOf,
  ITEM_TABLES,
  itLives,
  LEVEL_SQL,
  livesUntil,
} from '../../ask/sql/balance-levels.ts';
import { FEW_DEALS, fewDeals } from '../../ask/sql/few-deals.ts';
import { conditions } from '../../ask/sql/filter-sql.ts';
import { lookUp, SqlParameters, type Statement } from '../../ask/sql/statement.ts';
import { readFound } from './page-rows.ts';
import { endValue, sortType, sortValue } from './sort-sql.ts';
import { sortedCandidates, sortedItemsStatement } from './sorted-page.ts';

/** How far a page may look for its items. */
export interface WalkBounds {
  /** Candidates that are worked out, at least, and so many more for each item of the page. */
  readonly candidates: number;
  readonly candidatesPerItem: number;
  /** In books of up to so many items of the level, a page is filled whatever it takes. */
  readonly smallBook: number;
  /** So is a page of movements where the ledger has up to so many journals. */
  readonly smallLedger: number;
}

export const WALK_BOUNDS: WalkBounds = {
  candidates: 1_000,
  candidatesPerItem: 100,
  smallBook: 20_000,
  smallLedger: 50_000,
};
/** Candidates of a walk without bounds: more than any book has. */
const UNBOUNDED = 1_000_000_000_000;

/** So many times the candidates are passed over: they have ended, or are of others or another currency. */
export const PASSED_OVER = 10;

/** Most candidates that are worked out for a page. */
export function walkLength(limit: number, bounds: WalkBounds | undefined): number {
  return bounds === undefined ? UNBOUNDED : bounds.candidates + bounds.candidatesPerItem * limit;
}

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

/** An item of the page, or the candidate before which the walk was given up. */
interface WalkRow {
  readonly key: bigint;
  readonly sort_value: string | null;
  readonly given_up: boolean;
}

/** Up to `limit` + 1 items in their order, and the place where looking for more was given up. */
function walkedItems(rows: readonly WalkRow[]) {
  const found: PageEnd[] = [];
  let stopped: PageEnd | undefined;
  for (const { key, sort_value: sortValue, given_up } of rows) {
    if (given_up) stopped = { key: key - 1n, sortValue };
    else found.push({ key, sortValue });
  }
  return { found, stopped };
}

/** What a walk looks at, in the order of the page. */
interface Candidates {
  /** Rows of `key`, and of `value` where the page is sorted, with `currency` by an amount. */
  readonly sql: string;
  /** Whether a candidate `c` lives, where its row tells; what has ended is passed over. */
  readonly lives?: string;
}

/**
 * Finds the items of a page in their order: by their keys, or by what they are sorted by.
 *
 * @param bounds undefined: the page is filled whatever it takes
 * @param deals the only ones that may have items of the page, by their keys; undefined: the book
 */
export function pageStatement(
  request: PageRequest,
  bounds: WalkBounds | undefined,
  deals?: readonly bigint[],
): Statement {
  const parameters = new SqlParameters(request.snapshot);
  const { sort } = request;
  if (sort === undefined) {
    return walkStatement(request, parameters, keyCandidates(request, parameters, deals), bounds);
  }
  const sorted = { ...request, sort };
  if (deals !== undefined || bounds === undefined) {
    return sortedItemsStatement(sorted, parameters, deals);
  }
  return walkStatement(request, parameters, { sql: sortedCandidates(sorted, parameters) }, bounds);
}

/**
 * Looks at candidates until the page is full. A candidate is on the page when its value is its value
 * at the snapshot, and when it is what the filter asks. The joins are lateral, so rows come in the
 * order of the candidates, and no more are read than the page needs.
 */
function walkStatement(
  request: PageRequest,
  parameters: SqlParameters,
  { sql: candidates, lives }: Candidates,
  bounds: WalkBounds | undefined,
): Statement {
  const { level, filter, sort, limit } = request;
  const sql = LEVEL_SQL[level];
  const where = conditions(request, parameters, { dealIsGiven: true });
  const byAmount = sort !== undefined && isAmountSort(sort.by);
  if (sort !== undefined) {
    where.unshift(`${sortValue(level, sort.by)} = c.value::${sortType(sort.by)}`);
  }
  if (byAmount) where.unshift('f.currency = c.currency');
  const length = walkLength(limit, bounds);
  const most = `${parameters.add(length)}::bigint`;
  const furthest = `${parameters.add(length * PASSED_OVER)}::bigint`;
  // Every currency has all items that are zero among its candidates.
  const anyOf = byAmount ? `${currencyOf(level, 'c.key')} = c.currency` : 'true';
  const living = filter.includeZero ? anyOf : (lives ?? `${livesUntil(level, 'c.key')} > $1`);
  const text = `
    SELECT c.key, ${sort === undefined ? 'NULL::text' : endValue(sort.by)} AS sort_value,
      item.key IS NULL AS given_up
    FROM (
      SELECT c.*, row_number() OVER () AS number
      FROM (
        SELECT c.*, row_number() OVER () AS place FROM (${candidates}) c LIMIT ${furthest} + 1
      ) c
      WHERE c.place > ${furthest} OR (${living})
      LIMIT ${most} + 1
    ) c
    LEFT JOIN LATERAL (
      SELECT i.key FROM ${sql.items}
      WHERE i.key = c.key AND ${where.join('\n        AND ')} ${BY_LOOKUP}) item
      ON c.number <= ${most} AND c.place <= ${furthest}
    WHERE item.key IS NOT NULL OR c.number > ${most} OR c.place > ${furthest}
    LIMIT ${parameters.add(limit + 1)}`;
  return { sql: text, parameters: parameters.values };
}

/** The items of the book, or of given deals, in the order of their keys. */
function keyCandidates(
  { level, filter, after }: PageRequest,
  parameters: SqlParameters,
  deals: readonly bigint[] | undefined,
): Candidates {
  const place = parameters.add(after?.key ?? 0n);
  return deals === undefined
    ? ofBook(level, filter.includeZero, place)
    : { sql: ofDeals(level, parameters.add(deals), place) };
}

function ofBook(level: Level, includeZero: boolean, place: string): Candidates {
  const table = ITEM_TABLES[level];
  if (includeZero || level === 'deal') {
    return { sql: `SELECT key FROM ${table} WHERE key > ${place} ORDER BY key` };
  }
  return {
    sql: `SELECT item_key AS key, currency, known_seq, lives_until FROM item_life
          WHERE level = '${level}' AND item_key > ${place} AND known_seq <= $2
          ORDER BY item_key`,
    lives: LIVES[level],
  };
}

const LIVES = byLevel(itLives);

function ofDeals(level: Level, deals: string, place: string): string {
  return `SELECT i.key FROM unnest(${deals}::bigint[]) AS asked (key) CROSS JOIN LATERAL (
          SELECT key FROM ${ITEM_TABLES[level]}
          WHERE deal_key = asked.key AND key > ${place} ${BY_LOOKUP}) i
        ORDER BY i.key ${BY_LOOKUP}`;
}

/**
 * Whether the book had more items of a level than another number, as known at the snapshot. Keys rise as items are
 * booked, so a later state of the book gives the same answer.
 */
export async function hadMoreItems(
  facts: Database,
  { level, snapshot }: Pick<PageRequest, 'level' | 'snapshot'>,
  items: number,
): Promise<boolean> {
  const table = ITEM_TABLES[level];
  const sql = `
    SELECT booked_seq <= $1 AS more FROM ${table}
    WHERE key = (SELECT key FROM ${table} ORDER BY key OFFSET $2 LIMIT 1)`;
  const [row] = await facts.query<{ more: boolean }>(sql, [snapshot.ledgerSeq, items]);
  return row?.more === true;
}
