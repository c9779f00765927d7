import { isAmountSort, type PageRequest, type Sort } from '../../ask/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES, LEVEL_SQL } from '../../ask/sql/balance-levels.ts';
import { conditions, leavesOutZero, outstandingBounds } from '../../ask/sql/filter-sql.ts';
import type { SqlParameters, Statement } from '../../ask/sql/statement.ts';
import { endOfAmounts, endValue, orderOf, sortValue } from './sort-sql.ts';

type SortedRequest = PageRequest & { readonly sort: Sort };

/**
 * Sorts all items of the filter: of few deals, or of a small book.
 *
 * @param deals the only ones that may have items of the page, by their keys
 */
export function sortedItemsStatement(
  request: SortedRequest,
  parameters: SqlParameters,
  deals: readonly bigint[] | undefined,
): Statement {
  const { level, sort, after, limit } = request;
  const order = orderOf(level, sort, after, parameters);
  const where = [...conditions(request, parameters, { deals }), order.after];
  const sql = `
    SELECT c.key, ${endValue(sort.by)} AS sort_value, false AS given_up
    FROM (
      SELECT i.key, ${sortValue(level, sort.by)} AS value, f.currency FROM ${LEVEL_SQL[level].items}
      WHERE ${where.join(' AND ')} ORDER BY ${order.by} ${BY_LOOKUP}) c
    LIMIT ${parameters.add(limit + 1)}`;
  return { sql, parameters: parameters.values };
}

/**
 * What items were ever sorted by, from the place of the cursor on: value by value, and the items of a
 * value by their keys.
 */
export function sortedCandidates(request: SortedRequest, parameters: SqlParameters): string {
  const candidates = isAmountSort(request.sort.by) ? amountCandidates : valueCandidates;
  return candidates(request, parameters);
}

function valueCandidates(request: SortedRequest, parameters: SqlParameters): string {
  const { after } = request;
  const values = valuesOf(request);
  const start = after && `${parameters.add(after.sortValue)}::${values.valueType}`;
  return steps(values, start, after && parameters.add(after.key));
}

/** The same currency by currency, from that of the cursor on. */
function amountCandidates(request: SortedRequest, parameters: SqlParameters): string {
  const { after, filter } = request;
  const values = ofAmounts(request, parameters);
  const end = after && endOfAmounts(after, parameters);
  const start =
    end &&
    `CASE WHEN code.currency = ${end.currency} THEN ${end.value}::bigint
        ELSE ${values.next()} END`;
  const from =
    after &&
    end &&
    `CASE WHEN code.currency = ${end.currency} THEN ${parameters.add(after.key)}
        ELSE 0 END`;
  const named = filter.currencies.length > 0 && parameters.add([...filter.currencies].sort());
  return `
    SELECT code.currency, v.value, v.key
    FROM (${currencies(named || undefined, end?.currency)}) code
    CROSS JOIN LATERAL (${steps(values, start, from)}) v`;
}

/** Those that the filter names or the book has, in the order of their codes. */
function currencies(named: string | undefined, from = "''"): string {
  if (named !== undefined) {
    return `SELECT currency FROM unnest(${named}::text[]) AS n (currency) WHERE currency >= ${from}`;
  }
  // As the index `facility_currency` has it.
  const next = (beyond: string) => `(SELECT currency FROM facility WHERE currency || '' ${beyond}
        ORDER BY currency || '' LIMIT 1)`;
  return `
      WITH RECURSIVE step (currency) AS (
        SELECT ${next(`>= ${from}`)}
        UNION ALL SELECT ${next('> step.currency')} FROM step WHERE step.currency IS NOT NULL
      )
      SELECT currency FROM step WHERE currency IS NOT NULL`;
}

/** Value by value from the first or another one on, and the items of each after a key of the first. */
function steps({ next, keys }: Values, start = next(), from: string | undefined = '0'): string {
  return `
    WITH RECURSIVE step (value, is_first) AS (
      SELECT ${start}, true
      UNION ALL
      SELECT ${next('step.value')}, false FROM step WHERE step.value IS NOT NULL
    )
    SELECT s.value, k.key FROM step s
    CROSS JOIN LATERAL (${keys('s.value', `CASE WHEN s.is_first THEN ${from} ELSE 0 END`)}) k
    WHERE s.value IS NOT NULL`;
}

interface Values {
  readonly valueType: string;
  /** The first value of all, or beyond another. */
  next(beyond?: string): string;
  /** The items of a value, after one. */
  keys(value: string, after: string): string;
}

function valuesOf(request: SortedRequest): Values {
  const { by } = request.sort;
  if (by === 'dealNumber') return ofDealNumbers(request);
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

/**
 * Amounts in the currency `code`. Those of what owes nothing are not stored: they are zero, and any item may
 * have come to it.
 */
function ofAmounts(request: SortedRequest, parameters: SqlParameters): Values {
  const { level, filter, sort } = request;
  const { by } = sort;
  const isBounded = by === 'outstanding';
  const { add } = parameters;
  const where = [
    `level = '${level}'`,
    `sort = '${by}'`,
    'currency = code.currency',
    ...(isBounded ? outstandingBounds('value', { filter, add }) : []),
  ];
  const stored = ofTable(request, 'bigint', 'sort_amount', where.join(' AND '));
  if (!filter.includeZero || (isBounded && leavesOutZero(filter))) return stored;
  const [nearest, further] = sort.descending ? ['greatest', '<'] : ['least', '>'];
  const { valueType } = stored;
  return {
    valueType,
    next: (beyond) => `${nearest}(${stored.next(beyond)},
        ${beyond === undefined ? '0' : `CASE WHEN 0 ${further} ${beyond} THEN 0 END`}::bigint)`,
    keys: (value, after) => `(${stored.keys(`nullif(${value}, 0)`, after)})
        UNION ALL (SELECT key FROM ${ITEM_TABLES[level]} WHERE ${value} = 0 AND key > ${after} ORDER BY key)`,
  };
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
