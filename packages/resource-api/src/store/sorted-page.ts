import type { BalanceFilter } from '../balances/balance-store.ts';
import { ITEM_TABLES, LEVEL_SQL } from './balance-levels.ts';
import { Parameters, type SortedRequest, type Statement, sortValue } from './balance-statements.ts';
import { type WalkBounds, walkStatement } from './page-walk.ts';

/**
 * Walks what items were ever sorted by, from the place of the cursor on: value by value, and the
 * items of a value by their keys.
 */
export function sortedWalkStatement(request: SortedRequest, bounds: WalkBounds): Statement {
  const { level, snapshot, sort, after } = request;
  const parameters = new Parameters(snapshot);
  const { valueType, next, keys } = valuesOf(request, parameters);
  const start = after && `${parameters.add(after.sortValue)}::${valueType}`;
  const from =
    start === undefined
      ? '0'
      : `CASE WHEN s.value = ${start} THEN ${parameters.add(after?.key ?? 0n)} ELSE 0 END`;
  const candidates = `
    WITH RECURSIVE step (value) AS (
      SELECT ${start ?? next()}
      UNION ALL
      SELECT ${next('step.value')} FROM step WHERE step.value IS NOT NULL
    )
    SELECT s.value, k.key FROM step s CROSS JOIN LATERAL (${keys('s.value', from)}) k
    WHERE s.value IS NOT NULL`;
  const sorted = sortValue(LEVEL_SQL[level], sort.by);
  return walkStatement(request, parameters, { sql: candidates, sorted }, bounds);
}

interface Values {
  readonly valueType: string;
  /** The first value of all, or beyond another. */
  next(beyond?: string): string;
  /** The items of a value, after one. */
  keys(value: string, after: string): string;
}

function valuesOf(request: SortedRequest, parameters: Parameters): Values {
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
): Values {
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
): Values {
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
function ofDealNumbers({ level, sort: { descending } }: SortedRequest): Values {
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
