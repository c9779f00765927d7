import type { Level, PageRequest } from '../balances/balance-store.ts';
import { TOTAL_COMPONENTS } from '../ledger/balance.ts';
import { BY_INDEX, Parameters, type Statement } from './balance-statements.ts';
import { filterSql } from './filter-sql.ts';

/**
 * Totals of the whole book per currency, from the sums that it keeps of each year, month and day:
 * the years before the date's, the months before the date's in its year, and the days of its month
 * through the date. `$1` is the date, `$2` the sequence; `among` is a condition on the currency `code`.
 */
export function bookTotals(level: Level, among = 'true'): string {
  const kept = `FROM book_total WHERE level = '${level}'`;
  const nextCode = (after: string) => `(SELECT currency ${kept}
        AND currency > ${after} ORDER BY currency LIMIT 1)`;
  const nextStart = (from: string) => `(SELECT start ${kept} AND currency = c.code
          AND grain = g.grain AND start >= ${from} AND start < g.before ORDER BY start LIMIT 1)`;
  const sums = TOTAL_COMPONENTS.map((name) => `sum(t.${name})::int8 AS ${name}`);
  return `
    WITH RECURSIVE code AS (
      SELECT ${nextCode("''")} AS code
      UNION ALL SELECT ${nextCode('code')} FROM code WHERE code IS NOT NULL
    )
    SELECT c.code AS currency, sum(t.items)::int8 AS count, ${sums.join(', ')}
    FROM (SELECT code FROM code WHERE code IS NOT NULL AND ${among}) c
    CROSS JOIN (
      SELECT 'year' AS grain, '-infinity'::date AS since, a.year AS before FROM ${STARTS}
      UNION ALL SELECT 'month', a.year, a.month FROM ${STARTS}
      UNION ALL SELECT 'day', a.month, $1::date + 1 FROM ${STARTS}) g
    CROSS JOIN LATERAL (
      WITH RECURSIVE part AS (
        SELECT ${nextStart('g.since')} AS start
        UNION ALL SELECT ${nextStart('part.start + 1')} FROM part WHERE part.start IS NOT NULL
      )
      SELECT start FROM part WHERE start IS NOT NULL) p
    CROSS JOIN LATERAL (SELECT * ${kept} AND currency = c.code AND grain = g.grain
      AND start = p.start AND known_seq <= $2 ORDER BY known_seq DESC LIMIT 1) t
    GROUP BY c.code HAVING sum(t.items) > 0 ORDER BY c.code`;
}

const STARTS = `(SELECT date_trunc('year', $1::date)::date AS year,
        date_trunc('month', $1::date)::date AS month) a`;

/** Totals of the whole book. One row that is not `seen` where they are kept from the reader. */
export function bookTotalsStatement(
  request: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
): Statement {
  const { level, snapshot } = request;
  const parameters = new Parameters(snapshot);
  const among = filterSql('ofBookTotals', request, parameters.add).join(' AND ');
  // As the policy of `book_total` has it: without a row the book may be empty, or not for the reader.
  const role = level === 'position' ? " AND role = 'agent'" : '';
  const text = `
    SELECT seen.seen, total.*
    FROM (SELECT current_setting('cls.full_control', true) = 'on'
        OR EXISTS (SELECT FROM entitlement_rule WHERE all_deals${role}) AS seen) seen
    LEFT JOIN (${bookTotals(level, among || 'true')}) total ON true
    ORDER BY total.currency`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}
