import { PRINCIPAL_COMPONENTS, type PrincipalBalance } from '../../../ledger/balance.ts';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import type { SeriesRequest, SeriesStep } from '../../ask/balance-store.ts';
import { BY_LOOKUP, LEVEL_SQL } from '../../ask/sql/balance-levels.ts';
import { conditions } from '../../ask/sql/filter-sql.ts';
import { SqlParameters, type Statement } from '../../ask/sql/statement.ts';

/** Stands for everything before the period. */
const BEFORE = '-infinity';

/**
 * How principal of a filter's items moved. Of each line the newest balance of each interval is read,
 * and that before the period; the differences are added up.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function seriesStatement(
  { level, filter, snapshot, interval, from, to, limit }: SeriesRequest,
  deals?: readonly bigint[],
): Statement {
  const parameters = new SqlParameters(snapshot);
  const sql = LEVEL_SQL[level];
  const asked = { level, filter: { ...filter, includeZero: true } };
  const where = conditions(asked, parameters, { deals });
  const [first, last] = [parameters.add(from), parameters.add(to)];
  const most = parameters.add(limit);
  const start =
    interval === 'event' ? 'effective_date' : `date_trunc('${interval}', effective_date)::date`;
  const columns = PRINCIPAL_COMPONENTS.join(', ');
  const steps = PRINCIPAL_COMPONENTS.map(
    (name) => `${name} - coalesce(lag(${name}) OVER line, 0) AS ${name}`,
  );
  const sums = PRINCIPAL_COMPONENTS.map((name) => `sum(${name})::int8 AS ${name}`);
  const text = `
    SELECT currency, CASE WHEN start > '${BEFORE}' THEN start END::text AS start, ${columns}
    FROM (
      SELECT currency, start, ${sums.join(', ')}, 
        dense_rank() OVER (PARTITION BY start = '${BEFORE}' ORDER BY start) AS place
      FROM (
        SELECT currency, start, ${steps.join(', ')}
        FROM (
          SELECT l.key, f.currency, b.*
          FROM ${sql.items}
          CROSS JOIN LATERAL (SELECT l.key FROM balance_line l
            WHERE ${sql.lines} AND l.lender_key = ${sql.ownLender} ${BY_LOOKUP}) l
          CROSS JOIN LATERAL (
            (SELECT '${BEFORE}'::date AS start, ${columns} FROM balance
             WHERE line_key = l.key AND effective_date < ${first} AND known_seq <= $2
             ORDER BY effective_date DESC, known_seq DESC LIMIT 1)
            UNION ALL
            (SELECT DISTINCT ON (1) ${start} AS start, ${columns} FROM balance
             WHERE line_key = l.key AND effective_date BETWEEN ${first} AND ${last}
               AND known_seq <= $2
             ORDER BY 1, effective_date DESC, known_seq DESC)
          ) b
          WHERE ${where.join('\n            AND ')}
        ) b
        WINDOW line AS (PARTITION BY key ORDER BY start)
      ) b
      GROUP BY currency, start
      HAVING start = '${BEFORE}' OR sum(movement_count) <> 0 OR sum(fx_revaluation) <> 0
    ) b
    WHERE start = '${BEFORE}' OR place <= ${most} + 1
    ORDER BY currency, b.start`;
  return { sql: text, parameters: parameters.values };
}

export type SeriesRow = PrincipalBalance & {
  readonly currency: string;
  readonly start: BusinessDate | null;
};

export function toStep({ currency, start, ...moved }: SeriesRow): SeriesStep {
  return { currency, start: start ?? undefined, moved };
}
