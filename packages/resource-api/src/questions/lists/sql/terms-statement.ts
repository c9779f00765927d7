import type { Level, Snapshot } from '../../ask/balance-store.ts';
import {
  BILLS_OF_LINE,
  BY_LOOKUP,
  DUE_ACCOUNTS,
  hasRecord,
  LEVEL_SQL,
  partyJson,
  stands,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, SqlParameters, type Statement } from '../../ask/sql/statement.ts';

const EFFECTIVE: Readonly<Record<Level, string>> = {
  deal: 'd.closing_date',
  facility: 'f.effective_date',
  contract: 'i.effective_date',
  position: 'f.effective_date',
};

/** Which positions `q` are of an item; of a deal, those of its facilities `g` in the currency. */
const POSITIONS: Readonly<Record<Level, string>> = {
  deal: 'q.deal_key = i.deal_key AND g.currency = f.currency',
  facility: 'q.facility_key = f.key',
  contract: 'q.facility_key = f.key',
  position: 'q.facility_key = f.key AND q.lender_key = i.lender_key',
};

/** What the book knows of given items beyond their amounts (`ItemTerms`). */
export function termsStatement(
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
  withRates = false,
): Statement {
  const parameters = new SqlParameters(snapshot);
  const { items } = LEVEL_SQL[level];
  const sql = `
    SELECT i.key, json_build_object(
      'agent', ${partyJson('d.agent_key')},
      'effectiveDate', ${EFFECTIVE[level]},
      'dayCount', ${level === 'deal' ? 'NULL' : 'f.day_count'},
      'nextPaymentDate', ${nextPayment(level)},
      'rate', ${level === 'contract' ? RATE : 'NULL'},
      ${withRates && level === 'contract' ? `'rates', ${RATES},` : ''}
      'positions', (SELECT coalesce(json_agg(json_build_object('id', q.id, 'facilityId', g.id,
          'lender', ${partyJson('q.lender_key')}, 'kind', q.kind) ORDER BY q.key), '[]')
        FROM lender_position q JOIN facility g ON g.key = q.facility_key
        WHERE ${POSITIONS[level]} AND ${hasRecord('position', 'q')})) AS terms
    FROM ${items}
    WHERE i.key = ANY(${parameters.add(keys)})`;
  return { sql, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

const RATE_JSON = `json_build_object('allIn', r.all_in_rate::text, 'base', r.base_rate::text,
          'spread', r.spread::text, 'adjustment', r.csa::text, 'index', r.base_rate_index,
          'since', r.start_date)`;
const RATES_OF_CONTRACT = `FROM rate_period r
        WHERE r.facility_key = i.facility_key AND r.contract_key = i.key
          AND r.component = 'interest' AND r.start_date <= $1 AND r.known_seq <= $2
          AND ${stands('r.known_seq')}`;
const RATE = `(SELECT ${RATE_JSON} ${RATES_OF_CONTRACT}
        ORDER BY r.start_date DESC, r.known_seq DESC LIMIT 1)`;
const RATES = `(SELECT coalesce(json_agg(${RATE_JSON} ORDER BY r.start_date), '[]')
        FROM (SELECT DISTINCT ON (r.start_date) r.* ${RATES_OF_CONTRACT}
          ORDER BY r.start_date, r.known_seq DESC) r)`;

/**
 * Payments settle the oldest bill first. So of what is billed and due later, a bill is open where the
 * bills that are due after it are less than what is due.
 */
function nextPayment(level: Level): string {
  const { lines, newest } = LEVEL_SQL[level];
  return `(SELECT min(bill.due_date)
        FROM balance_line l CROSS JOIN LATERAL (${newest}) b
        CROSS JOIN LATERAL ${DUE_ACCOUNTS}
        CROSS JOIN LATERAL (
          SELECT p.due_date, sum(p.amount_minor) AS billed,
            sum(sum(p.amount_minor)) OVER (ORDER BY p.due_date DESC) AS with_later
          ${BILLS_OF_LINE} AND p.due_date >= $1 GROUP BY p.due_date ${BY_LOOKUP}) bill
        WHERE ${lines} AND l.lender_key = 0 AND bill.billed > 0
          AND bill.with_later - bill.billed < due.balance)`;
}
