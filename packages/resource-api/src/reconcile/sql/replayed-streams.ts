import type { AccrualComponent } from '../../ledger/accrual.ts';
import { BY_LOOKUP, NOW } from '../../questions/ask/sql/balance-levels.ts';
import { EFFECTS } from './sublimits.ts';

/** Worked out by CLS, here or where the book was exported. Other systems may round differently. */
const MADE_HERE = `split_part(j.idempotency_key, ':', 1) IN ('billing', 'generated')`;
/** Whether a settlement `a` settles days: a reversal settles none. */
export const IS_BILL = 'a.settled_from IS DISTINCT FROM a.settled_through';

const ACCRUES_ON: Readonly<Record<AccrualComponent, string>> = {
  interest: `e.account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK')`,
  pik: `e.account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK')`,
  commitment_fee: `e.account = 'UNFUNDED'`,
  letter_of_credit_fee: `e.account = 'LETTER_OF_CREDIT'`,
};
const ON = Object.entries(ACCRUES_ON).map(([name, on]) => `WHEN '${name}' THEN ${on}`);
/** By reversals alone. What a reversal repeats of its journal does not stand. */
const STANDS = (seq: string) => `(journal_stands(${seq}, ${NOW})
      AND NOT EXISTS (SELECT FROM journal t WHERE t.seq = ${seq} AND t.reverses_seq IS NOT NULL))`;
const OF_LINE = 'l.facility_key = s.facility_key AND l.contract_key = s.contract_key';
/** The first day that accrues no commitment fee; it can still be drawn on it. */
const END = (of: string) =>
  `coalesce(least(${of}.availability_end_date, ${of}.maturity_date), 'infinity')`;
const OF_STREAM = (alias: string) => `${alias}.facility_key = s.facility_key
        AND ${alias}.contract_key = s.contract_key AND ${alias}.component = s.component`;

/** What capitalises interest under a sublimit uses the commitment around it, and moves its fee. */
const IS_CONTEXT = `s.contract_key <> 0 AND f.pik_uses_commitment AND f.sublimit_of_key = ANY($1)`;

/**
 * What accrues in facilities (`$1`) before a day (`$2`) as the book knows it, with every bill that
 * CLS made: from postings, rates, settlements and reversals, and apart from the statement that reads
 * ask (`accrualStatement`), so that each checks the other. No bill is taken to be right, and what
 * became known late is not asked for. Rows are those of `accrualStatement`.
 */
export const REPLAYED_STREAMS = `
  WITH rate AS MATERIALIZED (
    SELECT r.*, ${STANDS('r.known_seq')} AS stands FROM rate_period r
    WHERE r.facility_key IN (SELECT key FROM facility WHERE key = ANY($1) OR sublimit_of_key = ANY($1))
  ), stream AS MATERIALIZED (
    SELECT facility_key, contract_key, component,
      coalesce(min(start_date) FILTER (WHERE stands), min(start_date)) AS begins
    FROM rate GROUP BY facility_key, contract_key, component HAVING min(start_date) < $2
  ), bill AS MATERIALIZED (
    SELECT a.*, j.id, ${MADE_HERE} AS made_here, ${STANDS('a.known_seq')} AS stands,
      least(coalesce(a.settled_from, s.begins), a.settled_through) AS since
    FROM stream s JOIN accrual_settlement a ON ${OF_STREAM('a')}
    JOIN journal j ON j.seq = a.known_seq WHERE ${IS_BILL}
  )
  SELECT ARRAY[f.key] AS items,
    CASE WHEN ${IS_CONTEXT} THEN ARRAY[f.sublimit_of_key] ELSE '{}' END AS context_of,
    CASE WHEN f.pik_uses_commitment THEN array_remove(ARRAY[f.id,
      (SELECT id FROM facility WHERE key = f.sublimit_of_key)], NULL) ELSE '{}' END AS uses_commitment_of,
    f.id AS facility_id, c.id AS contract_id,
    s.component::text AS component, f.day_count,
    CASE s.component WHEN 'commitment_fee' THEN concat_ws(',', '-infinity ' || ${END('f')},
      (SELECT string_agg(concat(e.effective_date, ' ', e.day), ',' ORDER BY e.effective_date)
       FROM (SELECT DISTINCT ON (x.effective_date) x.effective_date, ${END('x')} AS day
             FROM facility_terms x WHERE x.facility_key = f.key AND ${STANDS('x.known_seq')}
             ORDER BY x.effective_date, x.known_seq DESC) e)) END AS ends,
    (SELECT json_agg(json_build_object('from', lower(o), 'to', upper(o)) ORDER BY lower(o))
     FROM unnest(datemultirange(daterange(least(s.begins, $2), $2)) - (
       SELECT coalesce(range_agg(daterange(a.since, a.settled_through)), '{}')
       FROM bill a WHERE ${OF_STREAM('a')} AND a.stands)) o) AS open,
    (SELECT json_agg(json_build_object('startDate', r.start_date, 'allInRate', r.rate)
        ORDER BY r.start_date)
     FROM (SELECT DISTINCT ON (start_date) start_date, all_in_rate::text AS rate FROM rate r
           WHERE ${OF_STREAM('r')} AND stands ORDER BY start_date, known_seq DESC) r) AS rates,
    (SELECT string_agg(concat(y.id, ' ', b.effective_date, ' ', b.amount), ','
        ORDER BY y.id, b.effective_date)
     FROM balance_line l LEFT JOIN party y ON y.key = l.lender_key
     CROSS JOIN LATERAL (
       SELECT e.effective_date, sum(sum(e.amount_minor)) OVER (ORDER BY e.effective_date) AS amount
       FROM (SELECT * FROM (${EFFECTS}) e WHERE e.line_key = l.key ${BY_LOOKUP}) e
       WHERE CASE s.component ${ON.join(' ')} END GROUP BY e.effective_date) b
     WHERE ${OF_LINE}) AS steps,
    (SELECT json_agg(json_build_object('journal', a.id, 'from', a.since, 'to', a.settled_through,
        'effectiveDate', a.effective_date, 'stands', a.stands, 'capitalised', p.capitalised,
        'dueDate', NULL, 'billed', p.billed)
        ORDER BY a.effective_date, a.settled_through, a.known_seq)
     FROM bill a CROSS JOIN LATERAL (
       WITH RECURSIVE part(seq) AS (
         SELECT a.known_seq
         UNION ALL
         SELECT n.seq FROM part CROSS JOIN LATERAL (
           SELECT seq FROM journal WHERE corrects_seq = part.seq
           UNION ALL SELECT seq FROM journal WHERE reverses_seq = part.seq) n
       )
       SELECT bool_and(x.account = 'PRINCIPAL_PIK') FILTER (WHERE x.seq = a.known_seq) AS capitalised,
         string_agg(concat(y.id, ' ', x.effective_date, ' ', x.amount_minor), ',') AS billed
       FROM (
         SELECT part.seq, l.lender_key, p.account, p.effective_date, p.amount_minor
         FROM part JOIN posting p ON p.journal_seq = part.seq JOIN balance_line l ON l.key = p.line_key
         WHERE ${OF_LINE} AND p.account IN ('INTEREST_DUE', 'FEES_DUE', 'PRINCIPAL_PIK')) x
       LEFT JOIN party y ON y.key = x.lender_key) p
     WHERE ${OF_STREAM('a')} AND a.made_here) AS bills
  FROM stream s JOIN facility f ON f.key = s.facility_key
  LEFT JOIN loan_contract c ON c.key = s.contract_key
  ORDER BY s.facility_key, s.contract_key, s.component`;
