import type { Transaction } from '@cls/shared/sql/database';
import type { BalanceFilter, PageEnd, ReaderAccess } from '../balances/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES, LEVEL_SQL, livesUntil } from './balance-levels.ts';
import {
  conditions,
  foundPageStatement,
  Parameters,
  type SortedRequest,
  type Statement,
  sortValue,
} from './balance-statements.ts';
import { FEW_DEALS, fewDeals } from './few-deals.ts';

/** The page, or that its items are to be sorted: those of given deals, or of all. */
export type SortedPage<Row> =
  | { readonly rows: Row[] }
  | { readonly deals: readonly bigint[] | undefined };

/**
 * Up to `limit` + 1 items in the order of a sort, found by walking the book in that order until the
 * page is full. Where the filter or the caller's grants leave few deals, their items are sorted
 * instead; so are all items of the filter after a walk that found too little.
 */
export async function findSortedPage<Row>(
  transaction: Transaction,
  access: ReaderAccess,
  request: SortedRequest,
): Promise<SortedPage<Row>> {
  const read = <R>({ sql, parameters }: Statement) => transaction.query<R>(sql, parameters);
  const deals = await fewDeals(transaction, access, request, FEW_DEALS.toSort);
  if (deals !== undefined) return { deals };
  const found = foundBy(await read<WalkRow>(walkStatement(request)));
  if (found === undefined) return { deals };
  if (found.length === 0) return { rows: [] };
  const { level, snapshot } = request;
  return { rows: await read<Row>(foundPageStatement(level, snapshot, found)) };
}

/** An item of the page, or that the walk was given up before the page was full. */
interface WalkRow {
  readonly key: bigint | null;
  readonly sort_value: string;
  readonly given_up: boolean;
}

/**
 * How many candidates are worked out for a page. Most do not pass where histories are long, or where
 * a filter leaves few.
 */
function walkLength(limit: number): number {
  return 1_000 + 100 * limit;
}
/** So many more are passed over, because they have ended. */
const PASSED_OVER = 10;

function foundBy(rows: readonly WalkRow[]): readonly PageEnd[] | undefined {
  if (rows.some(({ given_up }) => given_up)) return undefined;
  return rows.map(({ key, sort_value: value }) => ({ key: key ?? 0n, sortValue: value }));
}

/**
 * Walks what items were ever sorted by, from the place of the cursor on: value by value, and the
 * items of a value by their keys. A candidate is on the page when the value is its value at the
 * snapshot, and when it is what the filter asks. The joins are lateral, so rows come in this order.
 */
export function walkStatement(request: SortedRequest): Statement {
  const { level, filter, snapshot, sort, after, limit } = request;
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const [value, type] = sortValue(sql, sort.by);
  const where = conditions(sql, level, filter, parameters, 'of the candidate');
  const { valueType, next, keys } = candidatesOf(request, parameters);
  const start = after && `${parameters.add(after.sortValue)}::${valueType}`;
  const first = start ?? next();
  const from =
    start === undefined
      ? '0'
      : `CASE WHEN s.value = ${start} THEN ${parameters.add(after?.key ?? 0n)} ELSE 0 END`;
  const most = parameters.add(walkLength(limit));
  const furthest = parameters.add(walkLength(limit) * PASSED_OVER);
  const lives = filter.includeZero ? 'true' : `${livesUntil(level, 'c.key')} > $1`;
  const text = `
    WITH RECURSIVE step (value) AS (
      SELECT ${first}
      UNION ALL
      SELECT ${next('step.value')} FROM step WHERE step.value IS NOT NULL
    )
    SELECT item.key, c.value::text AS sort_value, item.key IS NULL AS given_up
    FROM (
      SELECT c.*, row_number() OVER () AS number
      FROM (
        SELECT s.value, k.key, row_number() OVER () AS place
        FROM step s CROSS JOIN LATERAL (${keys('s.value', from)}) k
        WHERE s.value IS NOT NULL
        LIMIT ${furthest} + 1
      ) c
      WHERE c.place > ${furthest} OR ${lives}
      LIMIT ${most} + 1
    ) c
    LEFT JOIN LATERAL (
      SELECT i.key FROM ${sql.items}
      WHERE i.key = c.key AND ${value} = c.value::${type}
        AND ${where.join('\n        AND ')} ${BY_LOOKUP}) item
      ON c.number <= ${most} AND c.place <= ${furthest}
    WHERE item.key IS NOT NULL OR c.number > ${most} OR c.place > ${furthest}
    LIMIT ${parameters.add(limit + 1)}`;
  return { sql: text, parameters: parameters.values };
}

interface Candidates {
  readonly valueType: string;
  /** The first value of all, or beyond another. */
  next(beyond?: string): string;
  /** The items of a value, after one. */
  keys(value: string, after: string): string;
}

function candidatesOf(request: SortedRequest, parameters: Parameters): Candidates {
  const { by } = request.sort;
  if (by === 'dealNumber') return ofDealNumbers(request);
  if (by === 'outstanding' || by === 'unfunded') return ofAmounts(request, by, parameters);
  const kind = request.level === 'deal' ? 'facility' : request.level;
  return ofTable(request, 'text COLLATE "C"', 'sort_label', `kind = '${kind}' AND sort = '${by}'`);
}

function ofTable(
  { sort: { descending } }: SortedRequest,
  valueType: string,
  table: string,
  where: string,
): Candidates {
  const [direction, further] = descending ? ['DESC', '<'] : ['ASC', '>'];
  return {
    valueType,
    next: (beyond) => `(SELECT value FROM ${table} WHERE ${where}
        ${beyond === undefined ? '' : `AND value ${further} ${beyond}`}
        ORDER BY value ${direction} LIMIT 1)`,
    keys: (value, after) => `SELECT item_key AS key FROM ${table}
        WHERE ${where} AND value = ${value} AND item_key > ${after} ORDER BY item_key`,
  };
}

/** Amounts of what owes nothing are not kept: they are zero, and any item may have come to it. */
function ofAmounts(
  request: SortedRequest,
  by: 'outstanding' | 'unfunded',
  parameters: Parameters,
): Candidates {
  const { level, filter, sort } = request;
  const { minOutstandingMinor: least, maxOutstandingMinor: most } = filter;
  const bounds = by === 'outstanding' ? boundsOf(filter, parameters) : '';
  const where = `level = '${level}' AND sort = '${by}'${bounds}`;
  const kept = ofTable(request, 'bigint', 'sort_amount', where);
  const outside = by === 'outstanding' && ((least ?? 0n) > 0n || (most ?? 0n) < 0n);
  if (!filter.includeZero || outside) return kept;
  const [nearest, further] = sort.descending ? ['greatest', '<'] : ['least', '>'];
  const { valueType } = kept;
  return {
    valueType,
    next: (beyond) => `${nearest}(${kept.next(beyond)},
        ${beyond === undefined ? '0' : `CASE WHEN 0 ${further} ${beyond} THEN 0 END`}::bigint)`,
    keys: (value, after) => `(${kept.keys(`nullif(${value}, 0)`, after)})
        UNION ALL (SELECT key FROM ${ITEM_TABLES[level]} WHERE ${value} = 0 AND key > ${after} ORDER BY key)`,
  };
}

function boundsOf(
  { minOutstandingMinor: least, maxOutstandingMinor: most }: BalanceFilter,
  parameters: Pick<Parameters, 'add'>,
): string {
  const from = least === undefined ? '' : ` AND value >= ${parameters.add(least)}`;
  return most === undefined ? from : `${from} AND value <= ${parameters.add(most)}`;
}

/** A deal keeps its number. */
function ofDealNumbers({ level, sort: { descending } }: SortedRequest): Candidates {
  const [direction, further] = descending ? ['DESC', '<'] : ['ASC', '>'];
  const number = 'd.deal_number COLLATE "C"';
  return {
    valueType: 'text COLLATE "C"',
    next: (beyond) => `(SELECT ${number} FROM deal d
        ${beyond === undefined ? '' : `WHERE ${number} ${further} ${beyond}`}
        ORDER BY ${number} ${direction} LIMIT 1)`,
    keys: (value, after) => `SELECT key FROM ${ITEM_TABLES[level]}
        WHERE deal_key = (SELECT d.key FROM deal d WHERE ${number} = ${value}) AND key > ${after}
        ORDER BY key`,
  };
}
