import type { Level, Snapshot } from '../balances/balance-store.ts';
import { LEVEL_SQL } from './balance-levels.ts';
import type { Statement } from './balance-statements.ts';

/** Which rate periods `r` are of an item. */
const SCOPE: Readonly<Record<Level, string>> = {
  deal: `r.deal_key = d.key AND r.facility_key IN (
    SELECT key FROM facility g WHERE g.deal_key = d.key AND g.currency = f.currency)`,
  facility: 'r.facility_key = f.key',
  contract: 'r.facility_key = i.facility_key AND r.contract_key = i.key',
  position: 'r.facility_key = f.key',
};

const OF_STREAM = (alias: string) => `${alias}.facility_key = s.facility_key
  AND ${alias}.contract_key = s.contract_key AND ${alias}.component = s.component
  AND ${alias}.known_seq <= $2`;

const STEP = `effective_date, CASE s.component
  WHEN 'commitment_fee' THEN unfunded WHEN 'letter_of_credit_fee' THEN letter_of_credit
  ELSE principal_cash + principal_pik END AS amount`;

/**
 * What accrues in given items and has not been billed: since when, the rates and every line's
 * balances from then on. Its cost goes by the open period, not by the history before it.
 */
export function accrualStatement(
  level: Level,
  keys: readonly bigint[],
  { asOf, ledgerSeq }: Snapshot,
): Statement {
  const sql = `
    WITH stream AS (
      SELECT DISTINCT i.key AS item, r.facility_key, r.contract_key, r.component
      FROM ${LEVEL_SQL[level].items} JOIN rate_period r ON ${SCOPE[level]}
      WHERE i.key = ANY($3) AND r.known_seq <= $2 AND r.start_date < $1
    ), begun AS (
      SELECT s.*, coalesce(
        (SELECT a.settled_through FROM accrual_settlement a
         WHERE ${OF_STREAM('a')} AND a.effective_date <= $1
         ORDER BY a.effective_date DESC, a.known_seq DESC LIMIT 1),
        (SELECT min(r.start_date) FROM rate_period r WHERE ${OF_STREAM('r')})) AS since
      FROM stream s
    )
    SELECT s.item, g.id AS facility_id, c.id AS contract_id, s.component::text AS component,
      g.day_count, s.since::text AS since,
      (SELECT json_agg(json_build_object('startDate', r.start_date,
          'allInRate', r.all_in_rate::text, 'baseRateIndex', r.base_rate_index,
          'baseRate', r.base_rate::text, 'spread', r.spread::text, 'csa', r.csa::text)
          ORDER BY r.start_date)
       FROM (
         SELECT DISTINCT ON (r.start_date) r.* FROM rate_period r
         WHERE ${OF_STREAM('r')} AND r.start_date < $1 AND r.start_date >= coalesce(
           (SELECT max(r.start_date) FROM rate_period r
            WHERE ${OF_STREAM('r')} AND r.start_date <= s.since), s.since)
         ORDER BY r.start_date, r.known_seq DESC
       ) r) AS rates,
      (SELECT json_agg(json_build_object('lender', y.id, 'date', b.effective_date,
          'amount', b.amount::text) ORDER BY l.lender_key, b.effective_date)
       FROM balance_line l
       LEFT JOIN party y ON y.key = l.lender_key
       CROSS JOIN LATERAL (
         (SELECT ${STEP} FROM balance
          WHERE line_key = l.key AND effective_date <= s.since AND known_seq <= $2
          ORDER BY effective_date DESC, known_seq DESC LIMIT 1)
         UNION ALL
         (SELECT DISTINCT ON (effective_date) ${STEP} FROM balance
          WHERE line_key = l.key AND effective_date > s.since AND effective_date < $1
            AND known_seq <= $2
          ORDER BY effective_date, known_seq DESC)
       ) b
       WHERE l.facility_key = s.facility_key AND l.contract_key = s.contract_key) AS steps
    FROM begun s
    JOIN facility g ON g.key = s.facility_key
    LEFT JOIN loan_contract c ON c.key = s.contract_key
    WHERE s.since < $1
    ORDER BY s.item, s.facility_key, s.contract_key, s.component`;
  return { sql, parameters: [asOf, ledgerSeq, keys] };
}
