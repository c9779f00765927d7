import type { MarkedRequest, ValuesRequest } from '../../ask/balance-store.ts';
import { BY_LOOKUP, HAS_DUE, LEVEL_SQL, ownLines } from '../../ask/sql/balance-levels.ts';
import { type AmongDeals, conditions } from '../../ask/sql/filter-sql.ts';
import { BY_INDEX, SqlParameters, type Statement } from '../../ask/sql/statement.ts';
import { sortValue } from '../../page/sql/sort-sql.ts';
import { groupOf } from './totals.ts';

const nextRated = (after: string) => `(SELECT deal_key FROM rate_period
        WHERE deal_key > ${after} ORDER BY deal_key LIMIT 1)`;
/** Part of WITH RECURSIVE: the deals with rates, and a row without one. */
const RATED = `rated AS (
      SELECT ${nextRated('0')} AS key
      UNION ALL SELECT ${nextRated('rated.key')} FROM rated WHERE rated.key IS NOT NULL)`;

/**
 * Items of a filter in which something accrues: among the items of given deals, or of the deals with
 * rates, because few of many deals may have any.
 */
export function accruingStatement(request: MarkedRequest, deals?: readonly bigint[]): Statement {
  const { columns, items, where, most, parameters } = partsOf(request, { dealIsGiven: true });
  const rated =
    deals === undefined
      ? RATED
      : `rated AS (
      SELECT among.key FROM unnest(${parameters.add(deals)}::bigint[]) among (key)
      WHERE EXISTS (SELECT FROM rate_period WHERE deal_key = among.key ${BY_LOOKUP}))`;
  const text = `
    WITH RECURSIVE ${rated}
    SELECT item.* FROM rated CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${items}
      WHERE i.deal_key = rated.key AND ${where} ${BY_LOOKUP}) item
    LIMIT ${most}`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

/** Items of a filter whose own line has something due. */
export function owingStatement(request: MarkedRequest, deals?: readonly bigint[]): Statement {
  const { columns, items, where, most, parameters } = partsOf(request, { deals });
  const text = `
    SELECT ${columns}
    FROM ${items}
    WHERE ${where}
      AND EXISTS (SELECT FROM ${ownLines(LEVEL_SQL[request.level])} AND ${HAS_DUE} ${BY_LOOKUP})
    ORDER BY i.key LIMIT ${most}`;
  return { sql: text, parameters: parameters.values };
}

/** What items of a filter are sorted by: of one item more than are asked for, where there are more. */
export function valuesStatement(
  request: ValuesRequest,
  limit: number,
  deals?: readonly bigint[],
): Statement {
  const { items, where, most, parameters } = partsOf({ ...request, limit }, { deals });
  const text = `
    SELECT i.key, f.currency, (${sortValue(request.level, request.by)})::bigint AS value
    FROM ${items}
    WHERE ${where}
    LIMIT ${most}`;
  const planning = deals === undefined ? {} : { planning: BY_INDEX };
  return { sql: text, parameters: parameters.values, ...planning };
}

function partsOf(request: MarkedRequest, among: AmongDeals) {
  const { level, snapshot, limit, groupBy } = request;
  const parameters = new SqlParameters(snapshot);
  const sql = LEVEL_SQL[level];
  const where = conditions(request, parameters, among).join('\n      AND ');
  const holder = level === 'position' ? '(SELECT id FROM party WHERE key = i.lender_key)' : `''`;
  const most = parameters.add(limit + 1);
  const group = groupOf(sql, groupBy);
  const columns = `i.key, f.currency, ${holder} AS holder, ${group} AS "group"`;
  return { columns, items: sql.items, where, most, parameters };
}
