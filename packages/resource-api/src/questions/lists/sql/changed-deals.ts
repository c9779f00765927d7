import type { ChangedDealsRequest } from '../../ask/balance-store.ts';
import { BY_LOOKUP, newestBalance, OUTSTANDING } from '../../ask/sql/balance-levels.ts';
import type { Statement } from '../../ask/sql/statement.ts';

/** Facts of a deal with the day from which they hold: `$3` is the earlier date, `$4` the later. */
const DATED = [
  'journal',
  'deal_terms',
  'facility_terms',
  'contract_terms',
  'accrual_settlement',
  'deal_details',
  'facility_details',
];
const BOOKED = ['facility', 'loan_contract', 'lender_position'];
/** Where an item takes the names of its parties from. */
const NAMED = [
  ['deal', 'key', 'borrower_key'],
  ['deal', 'key', 'agent_key'],
  ['deal_details', 'deal_key', 'borrower_key'],
  ['lender_position', 'deal_key', 'lender_key'],
] as const;
const MATURING = ['facility', 'facility_terms', 'loan_contract', 'contract_terms'];
/** Where an availability period ends, or something matures. */
const ENDING = [
  ['facility', 'availability_end_date'],
  ['facility_terms', 'availability_end_date'],
  ...MATURING.map((table) => [table, 'maturity_date']),
];

const between = (column: string) => `${column} > $3 AND ${column} <= $4`;

/**
 * Where both snapshots have the same date, what became known changes what is shown of a deal (`KNOWN`).
 * Where the dates differ, so do accruals, what is past due, and facts whose day lies between the two.
 */
const DATE_MOVED = [
  ...DATED.map((table) => `SELECT deal_key FROM ${table} WHERE ${between('effective_date')}`),
  ...BOOKED.map((table) => `SELECT deal_key FROM ${table} WHERE ${between('booked_on')}`),
  `SELECT key FROM deal WHERE ${between('booked_on')}`,
  ...ENDING.map(
    ([table, end]) => `SELECT deal_key FROM ${table} WHERE ${end} >= $3 AND ${end} < $4`,
  ),
  // What matured before and is not repaid is past due for more days.
  `SELECT r.deal_key FROM (${MATURING.map(
    (table) => `SELECT deal_key FROM ${table} WHERE maturity_date < $3`,
  ).join(' UNION ')}) r
   WHERE EXISTS (SELECT FROM balance_line l CROSS JOIN LATERAL (
       ${newestBalance({ date: '$4' })}) b
     WHERE l.deal_key = r.deal_key AND l.lender_key = 0 AND ${OUTSTANDING} > 0 ${BY_LOOKUP})`,
  ...NAMED.map(
    ([table, key, party]) => `SELECT r.${key} FROM party_details t
      JOIN ${table} r ON r.${party} = t.party_key WHERE ${between('t.effective_date')}`,
  ),
  'SELECT deal_key FROM rate_period',
  `SELECT l.deal_key FROM balance_line l
   WHERE EXISTS (SELECT FROM posting p WHERE p.line_key = l.key AND p.due_date IS NOT NULL)`,
].join(' UNION ALL ');

/** Parties whose names became known, or stand again or no more. Any deal's journal may say so. */
const RENAMED = `SELECT party_key FROM party_details WHERE known_seq > $1 AND known_seq <= $2
  UNION ALL SELECT t.party_key FROM journal_standing s JOIN party_details t ON t.known_seq = s.seq
  WHERE s.known_seq > $1 AND s.known_seq <= $2`;
const KNOWN = [
  'SELECT deal_key FROM journal WHERE seq > $1 AND seq <= $2 AND $3::date <= $4::date',
  ...NAMED.map(
    ([table, key, party]) => `SELECT r.${key} FROM renamed t
      JOIN ${table} r ON r.${party} = t.party_key`,
  ),
].join(' UNION ALL ');

/** Deals with an item that may differ between two snapshots: a superset. */
export function changedDealsStatement({
  now,
  before,
  afterSeq,
  dealIds,
  fromKey,
  limit,
}: ChangedDealsRequest): Statement {
  const dates = [before?.asOf ?? now.asOf, now.asOf].sort();
  const moved = before !== undefined && before.asOf !== now.asOf;
  const touched = `WITH renamed AS MATERIALIZED (${RENAMED})
    ${moved ? `${KNOWN} UNION ALL ${DATE_MOVED}` : KNOWN}`;
  const sql = `
    SELECT d.key, d.id FROM deal d
    WHERE d.key >= $5 AND (cardinality($6::text[]) = 0 OR d.id = ANY($6))
      AND ${before === undefined ? '$1::bigint <= $2::bigint AND $3::date <= $4::date' : `d.key IN (${touched})`}
    ORDER BY d.key LIMIT $7`;
  return { sql, parameters: [afterSeq, now.ledgerSeq, ...dates, fromKey, dealIds, limit] };
}
