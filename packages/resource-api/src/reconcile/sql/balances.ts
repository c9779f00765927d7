import { BALANCE_COMPONENTS, COMPONENTS, MOVEMENT_COMPONENTS } from '../../ledger/balance.ts';
import { LINE_IDS, LINE_JOINS } from './journals.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';
import { EFFECTS } from './sublimits.ts';

const ACCOUNT_OF: Readonly<Record<string, string>> = { fx_revaluation: 'FX_REVAL' };

/** Each component of a balance, from postings `p` and their journals `j` alone. */
const REPLAYED = [
  ...BALANCE_COMPONENTS.map((name) => {
    const account = ACCOUNT_OF[name] ?? name.toUpperCase();
    return `sum(p.amount_minor) FILTER (WHERE p.account = '${account}') AS ${name}`;
  }),
  ...MOVEMENT_COMPONENTS.map((name) => {
    const movement = name.replace(/s$/, '');
    return `sum(p.amount_minor) FILTER (WHERE p.movement = '${movement}') AS ${name}`;
  }),
  'count(p.movement) AS movement_count',
  'count(p.movement) FILTER (WHERE j.reverses_seq IS NOT NULL) AS reversal_count',
].join(', ');

/** Compares columns with two prefixes component by component: one row per difference. */
function differences(names: readonly string[], found: string, expected: string): string {
  const values = names.map(
    (name) => `('${name}', coalesce(${found}${name}, 0), coalesce(${expected}${name}, 0))`,
  );
  return `CROSS JOIN LATERAL (VALUES ${values.join(', ')}) v(component, found, expected)
    WHERE v.found <> v.expected`;
}

const DIFFERENCE = 'v.component, v.found::text AS found, v.expected::text AS expected';
const NEWEST = 'ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1';
const BALANCES = 'SELECT count(*) FROM balance';
const LINES = 'SELECT count(*) FROM balance_line';
const MOVED = MOVEMENT_COMPONENTS.map((name) => `b.${name}`).join(' + ');
const MONEY = [...BALANCE_COMPONENTS, ...MOVEMENT_COMPONENTS];

/** Invariants of balances. `$1` is a date and `$2` a sequence where a statement is of a point. */
export const BALANCE_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'balances_replay',
    states: 'each line’s balance of each date is the sum of its postings until then',
    checked: 'SELECT count(*) FROM (SELECT DISTINCT line_key, effective_date FROM balance) b',
    breaks: `
      WITH stored AS (
        SELECT DISTINCT ON (line_key, effective_date) * FROM balance
        ORDER BY line_key, effective_date, known_seq DESC
      ), posted AS (
        SELECT p.line_key, p.effective_date, ${REPLAYED}
        FROM (
          ${EFFECTS}
          -- A balance may be kept of a date on which nothing moves its line.
          UNION ALL SELECT NULL, line_key, effective_date, NULL, NULL, 0 FROM stored
        ) p LEFT JOIN journal j ON j.seq = p.journal_seq
        GROUP BY p.line_key, p.effective_date
      ), summed AS (
        SELECT line_key, effective_date,
          ${COMPONENTS.map((name) => `sum(${name}) OVER past AS ${name}`).join(', ')}
        FROM posted WINDOW past AS (PARTITION BY line_key ORDER BY effective_date)
      )
      SELECT ${LINE_IDS}, coalesce(s.effective_date, b.effective_date)::text AS date, ${DIFFERENCE}
      FROM summed s
      FULL JOIN stored b ON b.line_key = s.line_key AND b.effective_date = s.effective_date
      LEFT JOIN balance_line l ON l.key = coalesce(s.line_key, b.line_key) ${LINE_JOINS}
      ${differences(COMPONENTS, 'b.', 's.')}`,
  },
  {
    invariant: 'past_replays',
    states: 'balances as they were known in the past are the sums of the postings known then',
    perPoint: true,
    checked: LINES,
    breaks: `
      WITH summed AS (
        SELECT p.line_key, ${REPLAYED}
        FROM (${EFFECTS}) p JOIN journal j ON j.seq = p.journal_seq
        WHERE p.effective_date <= $1 AND p.journal_seq <= $2 GROUP BY p.line_key
      )
      SELECT ${LINE_IDS}, $1::date::text AS date, $2::bigint::text AS "ledgerSeq", ${DIFFERENCE}
      FROM balance_line l ${LINE_JOINS}
      LEFT JOIN summed s ON s.line_key = l.key
      LEFT JOIN LATERAL (
        SELECT * FROM balance b
        WHERE b.line_key = l.key AND b.effective_date <= $1 AND b.known_seq <= $2 ${NEWEST}
      ) b ON true
      ${differences(COMPONENTS, 'b.', 's.')}`,
  },
  {
    invariant: 'superseded_replay',
    states: 'balances that later journals superseded are kept, as the sums of what was known then',
    checked: BALANCES,
    breaks: `
      WITH superseded AS (
        SELECT b.* FROM balance b
        WHERE EXISTS (SELECT FROM balance n WHERE n.line_key = b.line_key
          AND n.effective_date = b.effective_date AND n.known_seq > b.known_seq)
      ), late AS (
        SELECT DISTINCT line_key, effective_date, journal_seq
        FROM (SELECT line_key, effective_date, journal_seq, min(journal_seq) OVER (
                PARTITION BY line_key ORDER BY effective_date DESC
                RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL '1 day' PRECEDING) AS earliest
              FROM (${EFFECTS}) e) p
        WHERE earliest < journal_seq
      ), moved AS (
        SELECT line_key, effective_date, journal_seq FROM (${EFFECTS}) e
        UNION
        SELECT t.line_key, p.effective_date, t.journal_seq
        FROM late t JOIN (${EFFECTS}) p ON p.line_key = t.line_key
          AND p.effective_date > t.effective_date AND p.journal_seq < t.journal_seq
      )
      SELECT ${LINE_IDS}, b.effective_date::text AS date, b.known_seq::text AS "ledgerSeq",
        ${DIFFERENCE}
      FROM superseded b JOIN balance_line l ON l.key = b.line_key ${LINE_JOINS}
      CROSS JOIN LATERAL (
        SELECT ${REPLAYED} FROM (${EFFECTS}) p JOIN journal j ON j.seq = p.journal_seq
        WHERE p.line_key = b.line_key AND p.effective_date <= b.effective_date
          AND p.journal_seq <= b.known_seq
      ) s
      ${differences(COMPONENTS, 'b.', 's.')}
      UNION ALL
      SELECT ${LINE_IDS}, m.effective_date::text, m.journal_seq::text, 'balance', 'nothing', 'kept'
      FROM moved m JOIN balance_line l ON l.key = m.line_key ${LINE_JOINS}
      JOIN (SELECT seq, max(seq) OVER (PARTITION BY posted_at) AS last FROM every_journal) t
        ON t.seq = m.journal_seq
      WHERE NOT EXISTS (SELECT FROM balance b WHERE b.line_key = m.line_key
        AND b.effective_date = m.effective_date AND b.known_seq BETWEEN m.journal_seq AND t.last)`,
  },
  {
    invariant: 'shares_add_up',
    states: 'lenders’ balances add up to the global balance, component by component',
    checked: `${LINES} WHERE lender_key = 0`,
    breaks: `
      WITH newest AS MATERIALIZED (
        SELECT l.facility_key AS facility, l.contract_key AS contract, l.lender_key AS lender, b.*
        FROM balance_line l CROSS JOIN LATERAL (
          SELECT * FROM balance b WHERE b.line_key = l.key ${NEWEST}) b
      ), held AS (
        SELECT facility AS facility_key, contract AS contract_key,
          ${MONEY.flatMap((name) => [
            `sum(${name}) FILTER (WHERE lender = 0) AS global_${name}`,
            `sum(${name}) FILTER (WHERE lender <> 0) AS shared_${name}`,
          ]).join(', ')}
        FROM newest GROUP BY facility, contract
      )
      SELECT f.id AS facility, c.id AS contract, ${DIFFERENCE}
      FROM held s
      LEFT JOIN facility f ON f.key = s.facility_key
      LEFT JOIN loan_contract c ON c.key = s.contract_key
      ${differences(MONEY, 's.shared_', 's.global_')}
        AND EXISTS (SELECT FROM lender_position q WHERE q.facility_key = s.facility_key)`,
  },
  {
    invariant: 'roll_forward_foots',
    states: 'principal is the sum of its movements, in every balance ever kept',
    checked: BALANCES,
    breaks: `
      SELECT ${LINE_IDS}, b.effective_date::text AS date,
        (b.principal_cash + b.principal_pik)::text AS found,
        (${MOVED})::text AS expected
      FROM balance b LEFT JOIN balance_line l ON l.key = b.line_key ${LINE_JOINS}
      WHERE b.principal_cash + b.principal_pik <> ${MOVED}`,
  },
  {
    invariant: 'principal_due_is_owed',
    states: 'principal that is billed and not paid is part of the outstanding principal',
    checked: LINES,
    breaks: `
      SELECT ${LINE_IDS}, b.principal_due::text AS found,
        'from 0 to ' || (b.principal_cash + b.principal_pik) AS expected
      FROM balance_line l ${LINE_JOINS}
      CROSS JOIN LATERAL (SELECT * FROM balance b WHERE b.line_key = l.key ${NEWEST}) b
      WHERE b.principal_due < 0
         OR (b.principal_due > 0 AND b.principal_due > b.principal_cash + b.principal_pik)`,
  },
  {
    invariant: 'levels_add_up',
    states: 'contracts, lines and balances belong to one facility and deal, and each has its line',
    checked: LINES,
    breaks: `
      SELECT ${LINE_IDS}, 'line' AS found, 'of its facility and deal' AS expected
      FROM balance_line l ${LINE_JOINS}
      WHERE l.deal_key IS DISTINCT FROM f.deal_key
         OR (l.contract_key <> 0 AND c.facility_key IS DISTINCT FROM l.facility_key)
         OR (l.lender_key <> 0 AND NOT EXISTS (SELECT FROM lender_position q
               WHERE q.facility_key = l.facility_key AND q.lender_key = l.lender_key))
      UNION ALL
      SELECT f.id, c.id, NULL, 'contract', 'of its facility’s deal'
      FROM loan_contract c JOIN facility f ON f.key = c.facility_key
      WHERE c.deal_key <> f.deal_key
      UNION ALL
      SELECT f.id, NULL, h.id, 'position', 'of its facility’s deal'
      FROM lender_position q JOIN facility f ON f.key = q.facility_key
      JOIN party h ON h.key = q.lender_key WHERE q.deal_key <> f.deal_key
      UNION ALL
      SELECT f.id, c.id, NULL, 'no global line', 'one'
      FROM facility f LEFT JOIN loan_contract c ON c.facility_key = f.key
      WHERE NOT EXISTS (SELECT FROM balance_line l WHERE l.facility_key = f.key
              AND l.contract_key = 0 AND l.lender_key = 0)
         OR (c.key IS NOT NULL AND NOT EXISTS (SELECT FROM balance_line l
              WHERE l.facility_key = f.key AND l.contract_key = c.key AND l.lender_key = 0))
      UNION ALL
      SELECT ${LINE_IDS}, 'balance of ' || b.effective_date, 'its line’s deal and lender'
      FROM balance b JOIN balance_line l ON l.key = b.line_key ${LINE_JOINS}
      WHERE b.deal_key <> l.deal_key OR b.lender_key <> l.lender_key`,
  },
];
