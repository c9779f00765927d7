import type { ValuesRequest } from '../balances/balance-store.ts';
import { AVAILABLE, itemSum, LATE, LEVEL_SQL, type LevelSql, lastSeq } from './balance-levels.ts';
import { BY_INDEX, conditions, Parameters, type Statement } from './balance-statements.ts';

const COMMITMENT = 'b.principal_cash + b.letter_of_credit + b.sublimit_used + b.unfunded';

/** What is sorted by; a lender's part of what is past due and what accrues is added in Node. */
function valueSql(sql: LevelSql, { by, level }: ValuesRequest): string {
  switch (by) {
    case 'commitment':
      return itemSum(sql, COMMITMENT);
    case 'available':
      return `(SELECT coalesce(${AVAILABLE}, 0)
        FROM balance_line l CROSS JOIN LATERAL (${sql.newest}) b
        WHERE ${sql.lines} AND l.lender_key = ${sql.holder})`;
    case 'pastDue':
      return level === 'position' ? '0' : itemSum(sql, LATE);
    case 'interestAccrued':
      return itemSum(sql, 'b.interest_accrued');
    case 'lastPostedAt':
      return lastSeq(sql);
  }
}

/**
 * The values of up to `most` + 1 items of a filter.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function valuesStatement(
  request: ValuesRequest,
  most: number,
  deals?: readonly bigint[],
): Statement {
  const { level, filter, snapshot } = request;
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const where = conditions(sql, level, filter, parameters);
  if (deals !== undefined) where.push(`i.deal_key = ANY(${parameters.add(deals)})`);
  const text = `
    SELECT i.key, f.currency, (${valueSql(sql, request)})::bigint AS value
    FROM ${sql.items}
    WHERE ${where.join('\n      AND ')}
    LIMIT ${parameters.add(most + 1)}`;
  const planning = deals === undefined ? {} : { planning: BY_INDEX };
  return { sql: text, parameters: parameters.values, ...planning };
}
