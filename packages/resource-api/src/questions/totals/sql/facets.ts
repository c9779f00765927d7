import type { Facet, FacetRequest } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  borrowerJson,
  hasRecord,
  LEVEL_SQL,
  type LevelSql,
  partyJson,
} from '../../ask/sql/balance-levels.ts';
import { conditions } from '../../ask/sql/filter-sql.ts';
import { SqlParameters, type Statement } from '../../ask/sql/statement.ts';
import { groupOf } from './totals.ts';

/** What an item has, as a text; the lenders of an item are found apart. */
function valueSql(sql: LevelSql, field: Exclude<Facet, 'lender'>): string {
  return field === 'currency' ? 'f.currency' : groupOf(sql, field);
}

/**
 * How many items of a filter have each value (`FacetValue`). The items are found once for all fields.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function facetsStatement(request: FacetRequest, deals?: readonly bigint[]): Statement {
  const { level, snapshot, fields, top } = request;
  const parameters = new SqlParameters(snapshot);
  const sql = LEVEL_SQL[level];
  const where = conditions(request, parameters, { deals });
  const most = parameters.add(top);
  const columns = fields.flatMap((field) =>
    field === 'lender' ? [] : [`${valueSql(sql, field)} AS "${field}"`],
  );
  const holder = level === 'position' ? 'AND q.key = i.key' : '';
  const within =
    level === 'deal'
      ? 'q.deal_key = i.deal_key AND g.currency = i.of'
      : 'q.facility_key = i.facility_key';
  // Of a deal, the lenders of its facilities in the item's currency.
  const lenders = `(SELECT DISTINCT i.key, q.lender_key::text AS lender
      FROM item i CROSS JOIN LATERAL (
        SELECT q.lender_key FROM lender_position q JOIN facility g ON g.key = q.facility_key
        WHERE ${within} ${holder} AND ${hasRecord('position', 'q')} ${BY_LOOKUP}) q)`;
  const counts = fields.map(
    (field) => `
      SELECT '${field}' AS field, "${field}" AS value, count(*)::int AS count,
        row_number() OVER (ORDER BY count(*) DESC, "${field}" COLLATE "C") AS place
      FROM ${field === 'lender' ? `${lenders} i` : 'item i'} GROUP BY "${field}"`,
  );
  const text = `
    WITH item AS MATERIALIZED (
      SELECT i.key, i.deal_key, f.key AS facility_key, f.currency AS of
        ${columns.map((column) => `, ${column}`).join('')}
      FROM ${sql.items}
      WHERE ${where.join('\n        AND ')}
    )
    SELECT c.field, c.value, c.count,
      CASE c.field WHEN 'lender' THEN ${partyJson('c.value::bigint')}
        WHEN 'borrower' THEN ${borrowerJson('c.value::bigint')} END AS party
    FROM (${counts.join(' UNION ALL')}) c
    WHERE c.place <= ${most} + 1
    ORDER BY c.field, c.place`;
  return { sql: text, parameters: parameters.values };
}
