import type { Level, Snapshot } from '../balances/balance-store.ts';
import { LEVEL_SQL } from './balance-levels.ts';
import { BY_INDEX, type Statement } from './balance-statements.ts';

/** Which rate periods `r` are of an item. */
const SCOPE: Readonly<Record<Level, string>> = {
  deal: `r.deal_key = d.key AND r.facility_key IN (
    SELECT key FROM facility g WHERE g.deal_key = d.key AND g.currency = f.currency)`,
  facility: 'r.facility_key = f.key',
  contract: 'r.facility_key = i.facility_key AND r.contract_key = i.key',
  position: 'r.facility_key = f.key',
};

const OF_SUBJECT = (alias: string) => `${alias}.facility_key = s.facility_key
  AND ${alias}.contract_key = s.contract_key AND ${alias}.known_seq <= $2`;
const OF_STREAM = (alias: string) => `${OF_SUBJECT(alias)} AND ${alias}.component = s.component`;
/** Rates of a stream that stand: a journal that was taken back gives none. */
const RATES = `${OF_STREAM('r')} AND journal_stands(r.known_seq, $2)`;
const SAME_STREAM = `b.facility_key = s.facility_key AND b.contract_key = s.contract_key
  AND b.component = s.component`;

const STEP = `effective_date, CASE s.component
  WHEN 'commitment_fee' THEN unfunded WHEN 'letter_of_credit_fee' THEN letter_of_credit
  ELSE principal_cash + principal_pik END AS amount`;

/** Whether a posting `p` of a stream's line bills that stream; a bill may settle two streams. */
const IS_BILLED = (stream: string) => `CASE ${stream}.component
  WHEN 'interest' THEN p.account = 'INTEREST_DUE'
    OR (p.movement = 'pik_capitalization' AND NOT ${stream}.shared)
  WHEN 'pik' THEN p.movement = 'pik_capitalization'
    OR (p.account = 'INTEREST_DUE' AND NOT ${stream}.shared)
  ELSE p.account = 'FEES_DUE' AND NOT ${stream}.shared END`;

/** A bill with its corrections and all reversals, as journals `part`. */
const PARTS = `
  WITH RECURSIVE part(seq) AS (
    SELECT b.known_seq
    UNION
    SELECT j.seq FROM part CROSS JOIN LATERAL (
      SELECT seq, effective_date FROM journal WHERE corrects_seq = part.seq
      UNION ALL SELECT seq, effective_date FROM journal WHERE reverses_seq = part.seq
    ) j WHERE j.seq <= $2 AND j.effective_date <= $1
  )`;

/**
 * What accrues in given items: the days that no bill settles, and the bills that something became
 * known after, to be worked out again. With both come the rates and every line's balances from the
 * first of these days on, so the cost goes by what is open and corrected, not by the history.
 *
 * @param bills `all`: every bill is worked out again, as reconciling does.
 */
export function accrualStatement(
  level: Level,
  keys: readonly bigint[],
  { asOf, ledgerSeq }: Snapshot,
  bills: 'corrected' | 'all' = 'corrected',
): Statement {
  const sql = `
    WITH held AS (
      SELECT DISTINCT i.key AS item, r.facility_key, r.contract_key, r.component
      FROM ${LEVEL_SQL[level].items} JOIN rate_period r ON ${SCOPE[level]}
      WHERE i.key = ANY($3) AND r.known_seq <= $2 AND r.start_date < $1
    ), stream AS MATERIALIZED (
      -- Without a rate that stands nothing accrues, from whichever day on.
      SELECT s.*, coalesce((SELECT min(r.start_date) FROM rate_period r WHERE ${RATES}),
        (SELECT min(r.start_date) FROM rate_period r WHERE ${OF_STREAM('r')})) AS begins
      FROM (
        -- Every position of a facility has its streams: they are told once.
        SELECT facility_key, contract_key, component, array_agg(item) AS items
        FROM held GROUP BY facility_key, contract_key, component
      ) s
    ), bill AS MATERIALIZED (
      SELECT s.facility_key, s.contract_key, s.component, a.known_seq, a.effective_date,
        a.settled_through, least(coalesce(a.settled_from, s.begins), a.settled_through)
          AS settled_from,
        journal_stands(a.known_seq, $2) AS stands,
        EXISTS (SELECT FROM journal j WHERE j.corrects_seq = a.known_seq AND j.seq <= $2
          AND j.effective_date <= $1) AS corrected,
        EXISTS (SELECT FROM late_accrual_fact f
          WHERE ${OF_SUBJECT('f')} AND f.known_seq > a.known_seq
            AND f.effective_date < a.settled_through) AS late
      FROM stream s JOIN accrual_settlement a ON ${OF_STREAM('a')}
      WHERE a.effective_date <= $1 AND a.settled_from IS DISTINCT FROM a.settled_through
    ), judged AS (
      SELECT b.*, EXISTS (SELECT FROM accrual_settlement o
          WHERE o.known_seq = b.known_seq AND o.facility_key = b.facility_key
            AND o.contract_key = b.contract_key AND o.component <> b.component) AS shared,
        (b.late OR b.corrected) AND EXISTS (SELECT FROM posting p
          WHERE p.journal_seq = b.known_seq AND p.movement = 'pik_capitalization') AS moves_principal
      FROM bill b
    ), reopened AS MATERIALIZED (
      SELECT * FROM (
        SELECT j.*, min(j.effective_date) FILTER (WHERE j.moves_principal)
          OVER (PARTITION BY j.facility_key, j.contract_key) AS moved
        FROM judged j
      ) b
      WHERE (b.corrected OR (b.stands AND (${bills === 'all'} OR b.late
          OR b.settled_through > b.moved)))
        -- A bill of another shape stands as it was billed.
        AND 0 <> (SELECT coalesce(sum(p.amount_minor), 0)
          FROM posting p JOIN balance_line l ON l.key = p.line_key
          WHERE p.journal_seq = b.known_seq AND l.facility_key = b.facility_key
            AND l.contract_key = b.contract_key AND l.lender_key = 0 AND ${IS_BILLED('b')})
    ), begun AS (
      SELECT s.*, open.days, least(open.first, (SELECT min(b.settled_from) FROM reopened b
          WHERE ${SAME_STREAM} AND b.stands)) AS since
      FROM stream s CROSS JOIN LATERAL (
        SELECT min(lower(o)) AS first,
          json_agg(json_build_object('from', lower(o), 'to', upper(o)) ORDER BY lower(o)) AS days
        FROM unnest(datemultirange(daterange(s.begins, $1)) - coalesce(
          (SELECT range_agg(daterange(b.settled_from, b.settled_through)) FROM bill b
           WHERE ${SAME_STREAM} AND b.stands), '{}')) o
      ) open
      WHERE open.days IS NOT NULL OR EXISTS (SELECT FROM reopened b WHERE ${SAME_STREAM})
    ), told AS (
      SELECT s.facility_key, s.contract_key, s.component, s.items, g.id AS facility_id,
        c.id AS contract_id, g.day_count, s.days AS open,
        (SELECT json_agg(json_build_object('startDate', r.start_date,
            'allInRate', r.all_in_rate::text, 'baseRateIndex', r.base_rate_index,
            'baseRate', r.base_rate::text, 'spread', r.spread::text, 'csa', r.csa::text)
            ORDER BY r.start_date)
         FROM (
           SELECT DISTINCT ON (r.start_date) r.* FROM rate_period r
           WHERE ${RATES} AND r.start_date <= $1 AND r.start_date >= coalesce(
             (SELECT max(r.start_date) FROM rate_period r
              WHERE ${RATES} AND r.start_date <= s.since), s.since)
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
            WHERE line_key = l.key AND effective_date > s.since AND effective_date <= $1
              AND known_seq <= $2
            ORDER BY effective_date, known_seq DESC)
         ) b
         WHERE l.facility_key = s.facility_key AND l.contract_key = s.contract_key) AS steps,
        (SELECT json_agg(json_build_object('journal', j.id, 'from', b.settled_from,
            'to', b.settled_through, 'effectiveDate', b.effective_date, 'stands', b.stands,
            'capitalised', NOT EXISTS (SELECT FROM posting p WHERE p.journal_seq = b.known_seq
              AND p.account IN ('INTEREST_DUE', 'FEES_DUE') AND ${IS_BILLED('b')}),
            'dueDate', (SELECT min(p.due_date) FROM posting p
              WHERE p.journal_seq = b.known_seq AND ${IS_BILLED('b')}),
            'billed', (${PARTS}
              SELECT json_agg(json_build_object('lender', x.id, 'date', x.effective_date,
                'amount', x.amount::text)) FROM (
                SELECT y.id, p.effective_date, sum(p.amount_minor) AS amount
                FROM part JOIN posting p ON p.journal_seq = part.seq
                JOIN balance_line l ON l.key = p.line_key
                LEFT JOIN party y ON y.key = l.lender_key
                WHERE l.facility_key = s.facility_key AND l.contract_key = s.contract_key
                  AND ${IS_BILLED('b')}
                GROUP BY y.id, p.effective_date) x))
            ORDER BY b.effective_date, b.settled_through, b.known_seq)
         FROM reopened b JOIN journal j ON j.seq = b.known_seq WHERE ${SAME_STREAM}) AS bills
      FROM begun s
      JOIN facility g ON g.key = s.facility_key
      LEFT JOIN loan_contract c ON c.key = s.contract_key
    )
    SELECT t.items, t.facility_id, t.contract_id, t.component::text AS component, t.day_count,
      t.open, t.rates, t.steps, t.bills
    FROM told t
    ORDER BY t.facility_key, t.contract_key, t.component`;
  return { sql, parameters: [asOf, ledgerSeq, keys], planning: BY_INDEX, prepared: true };
}
