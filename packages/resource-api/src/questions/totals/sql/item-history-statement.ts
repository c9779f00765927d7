import { TOTAL_COMPONENTS } from '../../../ledger/balance.ts';
import type { Level } from '../../ask/balance-store.ts';
import { hasSublimits } from '../../ask/counted-once.ts';
import {
  BY_LOOKUP,
  datedValues,
  LEVEL_SQL,
  NOT_ZERO,
  sinceOf,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, type Statement } from '../../ask/sql/statement.ts';

/** Record whose terms say what status an item of a level has, and its key. */
const STATUS_OF: Readonly<Record<Level, readonly [table: string, alias: string]>> = {
  deal: ['deal', 'd'],
  facility: ['facility', 'f'],
  contract: ['contract', 'i'],
  position: ['facility', 'f'],
};

/**
 * Everything that totals ask of the items of deals, on all dates: a row for each item, and one without an
 * item for a deal that has none. `$1`: the deals by their keys, `$2`: the sequence.
 */
export function itemHistoriesStatement(
  level: Level,
  deals: readonly bigint[],
  ledgerSeq: bigint,
): Statement {
  const { items, lines, balances, holder, record, booked } = LEVEL_SQL[level];
  const [table, alias] = STATUS_OF[level];
  const isDeal = level === 'deal';
  const since = sinceOf(record, booked);
  const records = isDeal
    ? `(SELECT string_agg(concat_ws(' ', g.key, greatest(${since}, ${sinceOf('facility', 'g')}), g.type), ','
          ORDER BY g.key) FROM facility g
        WHERE g.deal_key = i.deal_key AND g.currency = i.currency AND g.booked_seq <= $2)`
    : `concat_ws(' ', i.key, ${since}, f.type)`;
  const only = isDeal
    ? `AND NOT EXISTS (SELECT FROM facility g WHERE g.deal_key = i.deal_key
        AND g.currency = i.currency AND g.key < i.key AND g.booked_seq <= $2 ${BY_LOOKUP})
      AND d.booked_seq <= $2`
    : '';
  const carvedOut = hasSublimits(level) ? 'f.sublimit_of_key' : 'NULL';
  const sql = `
    SELECT asked.key AS deal, item.*, EXISTS (SELECT FROM rate_period r
        WHERE r.deal_key = asked.key ${BY_LOOKUP}) AS rated,
      ${datedValues('deal_details t WHERE t.deal_key = d.key', 't.country', 'd.country')} AS countries
    FROM unnest($1::bigint[]) AS asked (key)
    CROSS JOIN LATERAL (SELECT * FROM deal WHERE key = asked.key ${BY_LOOKUP}) d
    LEFT JOIN LATERAL (
      SELECT ${isDeal ? 'i.deal_key' : 'i.key'} AS key, f.currency, f.key AS facility,
        ${carvedOut}::bigint AS sublimit_of, ${records} AS records,
        ${level === 'position' ? '(SELECT id FROM party WHERE key = i.lender_key)' : `''`} AS holder,
        ${datedValues(`${table}_terms t WHERE t.${table}_key = ${alias}.key`, 't.status', `${alias}.status`)}
          AS statuses,
        (SELECT string_agg(of_line.steps, '/') FROM balance_line l CROSS JOIN LATERAL (
          SELECT string_agg(concat_ws(' ', b.effective_date, ${NOT_ZERO}::int,
              ${TOTAL_COMPONENTS.map((name) => `b.${name}`).join(', ')}), ','
            ORDER BY b.effective_date) AS steps
          FROM (SELECT DISTINCT ON (b.effective_date) b.* FROM (
            ${balances} WHERE line_key = l.key AND known_seq <= $2) b
            ORDER BY b.effective_date, b.known_seq DESC) b ${BY_LOOKUP}) of_line
         WHERE ${lines} AND l.lender_key = ${holder}) AS lines
      FROM ${items}
      WHERE i.deal_key = asked.key AND ${booked}.booked_seq <= $2 ${only} ${BY_LOOKUP}
    ) item ON true`;
  return { sql, parameters: [deals, ledgerSeq], planning: BY_INDEX, prepared: true };
}
