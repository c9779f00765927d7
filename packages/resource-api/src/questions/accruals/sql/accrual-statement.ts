import type { BusinessDate } from '../../../ledger/business-date.ts';
import type { Level, Snapshot } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  datedValues,
  LEVEL_SQL,
  newestBalance,
  stands,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, type Statement } from '../../ask/sql/statement.ts';

/** A lender's part follows from the parts of all; the global amount needs none of them. */
type AccrualLines = 'all' | 'global';

/** The lines by which the accruals of `MarkedItem.holder` are worked out. */
export function holdersLines(level: Level): AccrualLines {
  return level === 'position' ? 'all' : 'global';
}

/** After every date that a record may have: `$1` of a question about all days. */
const ANY_DAY = 'infinity' as BusinessDate;

/**
 * Of facility `f`, and what capitalises interest under its sublimits: that uses its commitment, and so
 * moves its fee. A deal has its sublimits anyway.
 */
const OF_FACILITY = {
  scope: `r.facility_key = ANY(f.key || ARRAY(
      SELECT key FROM facility g WHERE g.sublimit_of_key = f.key AND g.pik_uses_commitment))
    AND (r.facility_key = f.key OR r.contract_key <> 0)`,
  isContext: 'r.facility_key <> f.key',
};
/** Which rate periods `r` are looked at for an item, and which of these are not of it. */
const SCOPE: Readonly<Record<Level, { readonly scope: string; readonly isContext: string }>> = {
  deal: {
    scope: `r.deal_key = d.key AND r.facility_key IN (
    SELECT key FROM facility g WHERE g.deal_key = d.key AND g.currency = f.currency)`,
    isContext: 'false',
  },
  facility: OF_FACILITY,
  contract: {
    scope: 'r.facility_key = i.facility_key AND r.contract_key = i.key',
    isContext: 'false',
  },
  position: OF_FACILITY,
};

const OF_SUBJECT = (alias: string) => `${alias}.facility_key = s.facility_key
  AND ${alias}.contract_key = s.contract_key AND ${alias}.known_seq <= $2`;
const OF_STREAM = (alias: string) => `${OF_SUBJECT(alias)} AND ${alias}.component = s.component`;
/** Rates of a stream that stand: a journal that was taken back gives none. */
const RATES = `${OF_STREAM('r')} AND ${stands('r.known_seq')}`;
/** Bills of a stream that settle days; a bill's `settled_from` is known by the stream's begin. */
const BILLS = `accrual_settlement a WHERE ${OF_STREAM('a')}
  AND a.effective_date <= $1 AND a.settled_from IS DISTINCT FROM a.settled_through`;
const SETTLED_FROM = 'least(coalesce(a.settled_from, s.begins), a.settled_through)';
const CORRECTED = `EXISTS (SELECT FROM journal j WHERE j.corrects_seq = a.known_seq
  AND j.seq <= $2 AND j.effective_date <= $1)`;

const SAME_STREAM = `b.facility_key = s.facility_key AND b.contract_key = s.contract_key
  AND b.component = s.component`;

const STEP = `effective_date, CASE s.component
  WHEN 'commitment_fee' THEN unfunded WHEN 'letter_of_credit_fee' THEN letter_of_credit
  ELSE principal_cash + principal_pik END AS amount`;

/** A lender's id (none: the global line), a date and an amount. Text takes half of what JSON takes. */
const TOLD = (...parts: readonly [string, string, string]) => `concat(${parts.join(", ' ', ")})`;

const OF_LINES = { all: '', global: 'AND l.lender_key = 0' };
/** Steps of a stream's lines, each line's by date. */
const stepsOf = (steps: string, ofLines: string) => `
      (SELECT string_agg(${TOLD('y.id', 'b.effective_date', 'b.amount')}, ','
          ORDER BY l.lender_key, b.effective_date)
       FROM balance_line l
       LEFT JOIN party y ON y.key = l.lender_key
       CROSS JOIN LATERAL (${steps}) b
       WHERE l.facility_key = s.facility_key AND l.contract_key = s.contract_key ${ofLines})`;
/** What a line came to on each of its dates, as last known. */
const stepsByDate = (dates: string) => `
         (SELECT DISTINCT ON (effective_date) ${STEP} FROM balance
          WHERE line_key = l.key AND ${dates} AND known_seq <= $2
          ORDER BY effective_date DESC, known_seq DESC)`;

/** The first day that accrues no commitment fee of facility `g`; it can still be drawn on it: dated. */
const END = (alias: string) =>
  `coalesce(least(${alias}.availability_end_date, ${alias}.maturity_date), 'infinity')`;
const ENDS = `CASE s.component WHEN 'commitment_fee' THEN
        ${datedValues('facility_terms t WHERE t.facility_key = s.facility_key', END('t'), END('g'))} END AS ends`;
const FACILITY = `SELECT id, day_count, availability_end_date, maturity_date FROM facility
      WHERE key = s.facility_key ${BY_LOOKUP}`;
/** Keys of the facilities whose commitment is used by what a stream `s` capitalises. */
const USES_COMMITMENT_OF = `ARRAY(SELECT u.key FROM facility g
        CROSS JOIN LATERAL (VALUES (g.key), (g.sublimit_of_key)) u(key)
        WHERE g.key = s.facility_key AND g.pik_uses_commitment AND s.contract_key <> 0
          AND u.key IS NOT NULL)`;

/** Whether a posting `p` of a stream's line bills that stream; a bill may settle two streams. */
const BILLS_STREAM = `CASE b.component
  WHEN 'interest' THEN p.account = 'INTEREST_DUE'
    OR (p.movement = 'pik_capitalization' AND NOT b.shared)
  WHEN 'pik' THEN p.movement = 'pik_capitalization'
    OR (p.account = 'INTEREST_DUE' AND NOT b.shared)
  ELSE p.account = 'FEES_DUE' AND NOT b.shared END`;
const OF_LINE = 'l.facility_key = b.facility_key AND l.contract_key = b.contract_key';
/**
 * What a bill `b` posted for its stream. One that comes to nothing globally may still have amounts
 * of lenders, and its journal may bill other contracts too.
 */
const POSTINGS_OF_BILL = `FROM posting p JOIN balance_line l ON l.key = p.line_key
          WHERE p.journal_seq = b.known_seq AND ${OF_LINE} AND ${BILLS_STREAM}`;

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

/** What accrues in items: `items` that a rate was given for, and what is known of each stream of theirs. */
const STREAMS = (level: Level) => `held AS (
      SELECT i.key AS item, ${SCOPE[level].isContext} AS is_context, r.*
      FROM ${LEVEL_SQL[level].items} CROSS JOIN LATERAL (
        SELECT DISTINCT r.facility_key, r.contract_key, r.component FROM rate_period r
        WHERE ${SCOPE[level].scope} AND r.known_seq + 0 <= $2 AND r.start_date < $1 ${BY_LOOKUP}) r
      WHERE i.key = ANY($3)
    ), stream AS MATERIALIZED (
      -- Without a rate that stands nothing accrues, from whichever day on.
      SELECT s.*, coalesce((SELECT min(r.start_date) FROM rate_period r WHERE ${RATES}),
          (SELECT min(r.start_date) FROM rate_period r WHERE ${OF_STREAM('r')})) AS begins,
        EXISTS (SELECT FROM late_accrual_fact f WHERE ${OF_SUBJECT('f')}) AS has_late_facts
      FROM (
        -- Every position of a facility has its streams: they are told once.
        SELECT facility_key, contract_key, component,
          coalesce(array_agg(item) FILTER (WHERE NOT is_context), '{}') AS items,
          coalesce(array_agg(item) FILTER (WHERE is_context), '{}') AS context_of
        FROM held GROUP BY facility_key, contract_key, component
      ) s
    )`;

/** Of each stream the days that no bill settles, and the bills that are worked out again. */
const OPEN_AND_REOPENED = `settled AS MATERIALIZED (
      SELECT s.*, b.days,
        s.has_late_facts OR b.corrected AS changed, ${USES_COMMITMENT_OF} AS uses_commitment_of
      FROM stream s CROSS JOIN LATERAL (
        SELECT coalesce(range_agg(daterange(${SETTLED_FROM}, a.settled_through))
            FILTER (WHERE ${stands('a.known_seq')}), '{}') AS days,
          coalesce(bool_or(${CORRECTED}), false) AS corrected
        FROM ${BILLS}
      ) b
    ), bill AS MATERIALIZED (
      -- Of contracts in which no bill is corrected and nothing is late, no bill is read again; nor
      -- of fees, unless such a contract uses the commitment.
      SELECT s.facility_key, s.contract_key, s.component, a.known_seq, a.effective_date,
        a.settled_through, ${SETTLED_FROM} AS settled_from, ${stands('a.known_seq')} AS stands,
        s.uses_commitment_of,
        ${CORRECTED} AS corrected,
        EXISTS (SELECT FROM late_accrual_fact f
          WHERE ${OF_SUBJECT('f')} AND f.known_seq > a.known_seq
            AND f.effective_date < a.settled_through) AS late,
        EXISTS (SELECT FROM accrual_settlement o
          WHERE o.known_seq = a.known_seq AND o.facility_key = a.facility_key
            AND o.contract_key = a.contract_key AND o.component <> a.component) AS shared
      FROM (
        SELECT *, bool_or(changed) OVER (PARTITION BY facility_key, contract_key)
          OR (component = 'commitment_fee' AND facility_key IN (
            SELECT unnest(uses_commitment_of) FROM settled WHERE changed)) AS read_again
        FROM settled
      ) s CROSS JOIN LATERAL (SELECT * FROM ${BILLS} ${BY_LOOKUP}) a
      WHERE s.read_again
    ), judged AS (
      SELECT b.*, (b.late OR b.corrected)
        AND EXISTS (SELECT ${POSTINGS_OF_BILL} AND p.movement = 'pik_capitalization') AS moves_principal
      FROM bill b
    ), unfunded AS MATERIALIZED (
      SELECT u.facility_key, min(j.effective_date) AS moved
      FROM judged j CROSS JOIN LATERAL unnest(j.uses_commitment_of) u(facility_key)
      WHERE j.moves_principal GROUP BY u.facility_key
    ), reopened AS MATERIALIZED (
      SELECT * FROM (
        SELECT j.*, CASE j.component
          WHEN 'commitment_fee' THEN (SELECT moved FROM unfunded u WHERE u.facility_key = j.facility_key)
          ELSE min(j.effective_date) FILTER (WHERE j.moves_principal)
            OVER (PARTITION BY j.facility_key, j.contract_key) END AS moved
        FROM judged j
      ) b
      WHERE (b.corrected OR (b.stands AND (b.late OR b.settled_through > b.moved)))
        -- A bill of another shape stands as it was billed.
        AND EXISTS (SELECT ${POSTINGS_OF_BILL})
    ), begun AS MATERIALIZED (
      SELECT s.*, least(lower(s.open), (SELECT min(b.settled_from) FROM reopened b
          WHERE ${SAME_STREAM} AND b.stands)) AS since
      FROM (
        -- A rate that was taken back may begin before the first one that stands.
        SELECT *, datemultirange(daterange(least(begins, $1), $1)) - days AS open FROM settled
      ) s
      WHERE (s.items <> '{}' AND NOT isempty(s.open))
        OR EXISTS (SELECT FROM reopened b WHERE ${SAME_STREAM})
    )`;

/**
 * What accrues in given items: the days that no bill settles, and the bills that something became
 * known after, to be worked out again. With both come the rates and the lines' balances from the
 * first of these days on, so the cost goes by what is open and corrected; of the history, each bill
 * is looked at once.
 */
export function accrualStatement(
  level: Level,
  keys: readonly bigint[],
  { asOf, ledgerSeq }: Snapshot,
  { lines = 'all' }: { lines?: AccrualLines } = {},
): Statement {
  const ofLines = OF_LINES[lines];
  const sql = `
    WITH ${STREAMS(level)}, ${OPEN_AND_REOPENED}
    SELECT s.items, s.context_of, g.id AS facility_id,
      ARRAY(SELECT id FROM facility WHERE key = ANY(s.uses_commitment_of)) AS uses_commitment_of,
      (SELECT c.id FROM loan_contract c WHERE c.key = s.contract_key) AS contract_id,
      s.component::text AS component, g.day_count, ${ENDS},
      (SELECT json_agg(json_build_object('from', lower(o), 'to', upper(o)) ORDER BY lower(o))
       FROM unnest(s.open) o) AS open,
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
      ${stepsOf(
        `
         (${newestBalance({ columns: STEP, date: 's.since' })})
         UNION ALL
         ${stepsByDate('effective_date > s.since AND effective_date <= $1')}`,
        ofLines,
      )} AS steps,
      (SELECT json_agg(json_build_object('journal', j.id, 'from', b.settled_from,
          'to', b.settled_through, 'effectiveDate', b.effective_date, 'stands', b.stands,
          'capitalised', NOT EXISTS (
            SELECT ${POSTINGS_OF_BILL} AND p.account IN ('INTEREST_DUE', 'FEES_DUE')),
          'dueDate', (SELECT min(p.due_date) ${POSTINGS_OF_BILL}),
          'billed', (${PARTS}
            SELECT string_agg(${TOLD('x.id', 'x.effective_date', 'x.amount')}, ',') FROM (
              SELECT y.id, p.effective_date, sum(p.amount_minor) AS amount
              FROM part JOIN posting p ON p.journal_seq = part.seq
              JOIN balance_line l ON l.key = p.line_key
              LEFT JOIN party y ON y.key = l.lender_key
              WHERE ${OF_LINE} ${ofLines} AND ${BILLS_STREAM}
              GROUP BY y.id, p.effective_date) x))
          ORDER BY b.effective_date, b.settled_through, b.known_seq)
       FROM reopened b JOIN journal j ON j.seq = b.known_seq WHERE ${SAME_STREAM}) AS bills
    FROM begun s
    CROSS JOIN LATERAL (${FACILITY}) g
    ORDER BY s.facility_key, s.contract_key, s.component`;
  return { sql, parameters: [asOf, ledgerSeq, keys], planning: BY_INDEX, prepared: true };
}

/**
 * What accrues in given items on all days, as it is known: from it, `accrualStatement` can be answered
 * for any date. Not where a bill may have to be worked out again (`may_reopen`).
 */
export function accrualHistoriesStatement(
  level: Level,
  keys: readonly bigint[],
  ledgerSeq: bigint,
): Statement {
  const lines = OF_LINES[holdersLines(level)];
  const sql = `
    WITH ${STREAMS(level)}
    SELECT s.items, s.context_of, g.id AS facility_id,
      (SELECT c.id FROM loan_contract c WHERE c.key = s.contract_key) AS contract_id,
      s.component::text AS component, g.day_count, ${ENDS}, s.begins::text AS begins,
      s.has_late_facts OR EXISTS (SELECT FROM ${BILLS} AND ${CORRECTED}) AS may_reopen,
      (SELECT string_agg(concat_ws(' ', ${SETTLED_FROM}, a.settled_through, a.effective_date), ','
          ORDER BY ${SETTLED_FROM}, a.settled_through)
       FROM ${BILLS} AND NOT s.has_late_facts AND ${stands('a.known_seq')}) AS bills,
      (SELECT string_agg(concat_ws(' ', r.start_date, r.all_in_rate), ',' ORDER BY r.start_date)
       FROM (
         SELECT DISTINCT ON (r.start_date) r.start_date, r.all_in_rate FROM rate_period r
         WHERE NOT s.has_late_facts AND ${RATES} ORDER BY r.start_date, r.known_seq DESC
       ) r) AS rates,
      CASE WHEN NOT s.has_late_facts THEN ${stepsOf(stepsByDate('effective_date < $1'), lines)} END AS steps
    FROM stream s
    CROSS JOIN LATERAL (${FACILITY}) g
    ORDER BY s.facility_key, s.contract_key, s.component`;
  return { sql, parameters: [ANY_DAY, ledgerSeq, keys], planning: BY_INDEX, prepared: true };
}
