import type { ReconcileStatement } from './sql-reconciler.ts';

/** Ids of what a balance line `l` is of. */
export const LINE_IDS = 'f.id AS facility, c.id AS contract, h.id AS lender';
export const LINE_JOINS = `
  LEFT JOIN facility f ON f.key = l.facility_key
  LEFT JOIN loan_contract c ON c.key = l.contract_key
  LEFT JOIN party h ON h.key = l.lender_key`;

const JOURNALS = 'SELECT count(*) FROM journal';
const POSTINGS = 'SELECT count(*) FROM posting';

/** Invariants of journals and postings, whatever the balances say. */
export const JOURNAL_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'journals_balance',
    states: 'each journal sums to zero per currency, globally and for each lender',
    checked: JOURNALS,
    breaks: `
      SELECT j.id AS journal, s.currency, h.id AS lender, s.found::text AS found, '0' AS expected
      FROM (
        SELECT p.journal_seq, l.currency, l.lender_key, sum(p.amount_minor) AS found
        FROM posting p JOIN balance_line l ON l.key = p.line_key
        GROUP BY p.journal_seq, l.currency, l.lender_key HAVING sum(p.amount_minor) <> 0
      ) s JOIN journal j ON j.seq = s.journal_seq LEFT JOIN party h ON h.key = s.lender_key`,
  },
  {
    invariant: 'journal_shares_add_up',
    states: 'in each journal, lenders’ amounts add up to the global amount',
    checked: JOURNALS,
    breaks: `
      SELECT j.id AS journal, f.id AS facility, c.id AS contract, s.account::text AS account,
        s.shares::text AS found, s.whole::text AS expected
      FROM (
        SELECT p.journal_seq, l.facility_key, l.contract_key, p.account, p.movement, p.due_date,
          coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key = 0), 0) AS whole,
          coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key <> 0), 0) AS shares
        FROM posting p JOIN balance_line l ON l.key = p.line_key
        GROUP BY p.journal_seq, l.facility_key, l.contract_key, p.account, p.movement, p.due_date
      ) s
      JOIN journal j ON j.seq = s.journal_seq
      LEFT JOIN facility f ON f.key = s.facility_key
      LEFT JOIN loan_contract c ON c.key = s.contract_key
      WHERE s.whole <> s.shares
        AND EXISTS (SELECT FROM lender_position q WHERE q.facility_key = s.facility_key)`,
  },
  {
    invariant: 'postings_fit_journal',
    states: 'each posting has its journal’s date and deal',
    checked: POSTINGS,
    breaks: `
      SELECT j.id AS journal, p.number::text AS posting,
        concat_ws(' ', p.effective_date, d.id) AS found,
        concat_ws(' ', j.effective_date, e.id) AS expected
      FROM posting p LEFT JOIN journal j ON j.seq = p.journal_seq
      LEFT JOIN balance_line l ON l.key = p.line_key
      LEFT JOIN deal d ON d.key = l.deal_key LEFT JOIN deal e ON e.key = j.deal_key
      WHERE p.effective_date IS DISTINCT FROM j.effective_date
         OR l.deal_key IS DISTINCT FROM j.deal_key`,
  },
  {
    invariant: 'one_currency',
    states: 'a facility’s lines and contracts are of its currency, and no sum crosses two',
    checked: 'SELECT count(*) FROM balance_line',
    breaks: `
      SELECT ${LINE_IDS}, l.currency AS found, f.currency AS expected
      FROM balance_line l ${LINE_JOINS}
      WHERE l.currency IS DISTINCT FROM f.currency
         OR (c.key IS NOT NULL AND c.currency IS DISTINCT FROM f.currency)`,
  },
  {
    invariant: 'sequence_gapless',
    ofBook: true,
    states: 'journals are numbered from 1 without gaps',
    checked: JOURNALS,
    breaks: `
      SELECT n.seq::text AS found, (n.before + 1)::text AS expected
      FROM (SELECT seq, lag(seq, 1, 0::bigint) OVER (ORDER BY seq) AS before FROM journal) n
      WHERE n.seq <> n.before + 1`,
  },
  {
    invariant: 'posting_times_rise',
    ofBook: true,
    states: 'a later journal has no earlier posting time',
    checked: JOURNALS,
    breaks: `
      SELECT n.id AS journal, n.posted_at::text AS found, 'from ' || n.before AS expected
      FROM (SELECT id, posted_at, lag(posted_at) OVER (ORDER BY seq) AS before FROM journal) n
      WHERE n.posted_at < n.before`,
  },
  {
    invariant: 'reversals_cancel',
    states: 'a reversal has its journal’s date and postings, with the opposite signs',
    checked: `${JOURNALS} WHERE reverses_seq IS NOT NULL`,
    breaks: `
      SELECT j.id AS journal, o.id AS reversed, s.found::text AS found, '0' AS expected
      FROM (
        SELECT r.seq, p.line_key, p.account, p.movement, p.due_date, sum(p.amount_minor) AS found
        FROM journal r
        CROSS JOIN LATERAL (VALUES (r.seq), (r.reverses_seq)) both_of(seq)
        JOIN posting p ON p.journal_seq = both_of.seq
        WHERE r.reverses_seq IS NOT NULL
        GROUP BY r.seq, p.line_key, p.account, p.movement, p.due_date
        HAVING sum(p.amount_minor) <> 0
      ) s JOIN journal j ON j.seq = s.seq JOIN journal o ON o.seq = j.reverses_seq
      UNION ALL
      SELECT j.id, o.id, j.effective_date::text, o.effective_date::text
      FROM journal j JOIN journal o ON o.seq = j.reverses_seq
      WHERE j.effective_date <> o.effective_date`,
  },
  {
    invariant: 'closed_periods_kept',
    states: 'nothing was posted in a period that was closed at the time',
    checked: JOURNALS,
    breaks: `
      SELECT j.id AS journal, j.effective_date::text AS found, 'after ' || k.through AS expected
      FROM journal j CROSS JOIN LATERAL (
        SELECT through FROM period_close WHERE decided_at < j.posted_at
        ORDER BY number DESC LIMIT 1
      ) k WHERE j.effective_date <= k.through`,
  },
];
