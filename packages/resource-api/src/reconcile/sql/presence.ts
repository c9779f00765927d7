import { NOW } from '../../questions/ask/sql/balance-levels.ts';
import { nowAndInThePast } from './part.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

const RECORDS = `(
  SELECT 'deal' AS kind, key, id, key AS deal_key, booked_on, booked_seq, follows_journals FROM deal
  UNION ALL
  SELECT 'facility', key, id, deal_key, booked_on, booked_seq, follows_journals FROM facility
  UNION ALL
  SELECT 'contract', key, id, deal_key, booked_on, booked_seq, follows_journals FROM loan_contract
  UNION ALL
  SELECT 'position', key, id, deal_key, booked_on, booked_seq, follows_journals
  FROM lender_position)`;

/**
 * Records that the book has since another date than its journals say, as known at a sequence (`$2`). What
 * the database works out record by record when it posts (`since_by_journals`) is worked out here
 * for the whole book at once, and apart from it. The findings are brought together by
 * grouping rather than joins: no statistics tell how many there are at a sequence, and a nested loop
 * over two such lists takes minutes.
 */
const MISDATED = `
  WITH taken_back AS MATERIALIZED (
    SELECT seq FROM (
      SELECT DISTINCT ON (seq) seq, stands FROM journal_standing WHERE known_seq <= $2
      ORDER BY seq, known_seq DESC) s
    WHERE NOT stands
  ), standing AS MATERIALIZED (
    SELECT seq, deal_key, effective_date FROM journal
    WHERE seq <= $2 AND reverses_seq IS NULL AND seq NOT IN (SELECT seq FROM taken_back)
  ), by_line AS MATERIALIZED (
    SELECT p.line_key, min(j.effective_date) AS since
    FROM standing j JOIN posting p ON p.journal_seq = j.seq GROUP BY p.line_key
  ), told AS (
    SELECT kind, key, deal_key, id, booked_on, follows_journals, NULL::date AS posted,
      NULL::date AS kept
    FROM ${RECORDS} r WHERE booked_seq <= $2
    UNION ALL
    SELECT kind, key, NULL, NULL, NULL, NULL, since, NULL FROM (
      SELECT 'facility' AS kind, l.facility_key AS key, p.since
      FROM by_line p JOIN balance_line l ON l.key = p.line_key
      UNION ALL
      SELECT 'contract', l.contract_key, p.since
      FROM by_line p JOIN balance_line l ON l.key = p.line_key AND l.contract_key <> 0
      UNION ALL
      SELECT 'position', q.key, p.since
      FROM by_line p JOIN balance_line l ON l.key = p.line_key AND l.lender_key <> 0
      JOIN lender_position q ON q.facility_key = l.facility_key AND q.lender_key = l.lender_key
      UNION ALL
      SELECT 'facility', t.facility_key, j.effective_date
      FROM standing j JOIN facility_terms t ON t.known_seq = j.seq
      UNION ALL
      SELECT 'contract', t.contract_key, j.effective_date
      FROM standing j JOIN contract_terms t ON t.known_seq = j.seq) s
    UNION ALL
    SELECT kind, record_key, NULL, NULL, NULL, NULL, NULL, since FROM (
      SELECT DISTINCT ON (kind, record_key) kind, record_key, since FROM presence
      WHERE known_seq <= $2 ORDER BY kind, record_key, known_seq DESC) p
  ), record AS (
    SELECT kind, key, min(deal_key) AS deal_key, min(id) AS id, min(booked_on) AS booked_on,
      bool_or(follows_journals) AS follows_journals, min(posted) AS posted, min(kept) AS kept
    FROM told GROUP BY kind, key HAVING min(id) IS NOT NULL
  ), of_deal AS (
    SELECT r.*, min(since) OVER of_deal AS deal_posted,
      min(booked_on) FILTER (WHERE kind = 'deal' AND NOT follows_journals) OVER of_deal AS deal_booked
    FROM (
      SELECT *, NULL::date AS since FROM record
      UNION ALL
      SELECT NULL, NULL, deal_key, NULL, NULL, NULL, NULL, NULL, effective_date FROM standing
      UNION ALL
      -- A loan of a statement that has no journal is there with its statement.
      SELECT NULL, NULL, d.key, NULL, NULL, NULL, NULL, NULL, d.booked_on
      FROM deal d
      WHERE d.booked_seq <= $2 AND d.booked_seq NOT IN (SELECT seq FROM taken_back)
        AND booked_without_journal(d::deal)) r
    WINDOW of_deal AS (PARTITION BY deal_key)
  )
  SELECT r.kind, r.id AS record, $2::bigint::text AS "ledgerSeq",
    s.found::text AS found, s.expected::text AS expected
  FROM of_deal r
  CROSS JOIN LATERAL (SELECT coalesce(r.kept, r.booked_on) AS found,
    coalesce(CASE WHEN r.kind = 'deal' OR r.follows_journals THEN least(r.deal_booked, r.deal_posted)
      ELSE least(r.booked_on, r.posted) END, 'infinity') AS expected) s
  WHERE r.kind IS NOT NULL AND s.found <> s.expected`;

/** What becomes of records, terms and dates when journals are taken back. */
export const PRESENCE_STATEMENTS: readonly ReconcileStatement[] = [
  ...nowAndInThePast(
    {
      invariant: 'presence_follows_journals',
      states:
        'the book has each record since its earliest journal that stands, or since a stated date',
      checked: `SELECT count(*) FROM ${RECORDS} r`,
      breaks: `SELECT * FROM (${MISDATED}) past WHERE $1::date IS NOT NULL`,
    },
    'so it had each record as it was known in the past',
  ),
  {
    invariant: 'records_have_journals',
    states: 'each record became known together with a journal of its deal',
    checked: `SELECT count(*) FROM ${RECORDS} r`,
    breaks: `
      SELECT r.kind, r.id AS record, r.booked_seq::text AS "ledgerSeq", 'nothing' AS found,
        'a journal of its deal with the posting time of that sequence' AS expected
      FROM ${RECORDS} r LEFT JOIN every_journal b ON b.seq = r.booked_seq
      LEFT JOIN (SELECT DISTINCT posted_at, deal_key FROM journal) j
        ON j.posted_at = b.posted_at AND j.deal_key = r.deal_key
      -- Earlier builds booked records without a journal.
      WHERE r.booked_seq >= (SELECT names_from FROM book_state) AND j.deal_key IS NULL`,
  },
  {
    invariant: 'standing_follows_reversals',
    states:
      'a journal stands unless it is reversed; a reversal that is itself reversed does not count',
    checked: 'SELECT count(*) FROM journal WHERE reverses_seq IS NOT NULL',
    breaks: `
      WITH RECURSIVE chain AS (
        SELECT seq AS first, seq AS last, 0 AS depth FROM journal WHERE reverses_seq IS NULL
        UNION ALL
        SELECT c.first, r.seq, c.depth + 1 FROM chain c JOIN journal r ON r.reverses_seq = c.last
      ), expected AS (
        SELECT first AS seq, last AS known_seq, depth % 2 = 0 AS stands FROM chain WHERE depth > 0
        UNION ALL SELECT seq, seq, false FROM journal WHERE reverses_seq IS NOT NULL
      )
      SELECT j.id AS journal, coalesce(e.known_seq, s.known_seq)::text AS "ledgerSeq",
        s.stands::text AS found, e.stands::text AS expected
      FROM expected e
      FULL JOIN journal_standing s ON s.seq = e.seq AND s.known_seq = e.known_seq
      LEFT JOIN journal j ON j.seq = coalesce(e.seq, s.seq)
      WHERE s.stands IS DISTINCT FROM e.stands`,
  },
  {
    invariant: 'book_dates_follow_journals',
    ofBook: true,
    states: 'the book has data for the dates on which a journal stands',
    checked: 'SELECT count(DISTINCT effective_date) FROM journal',
    breaks: `
      SELECT j.effective_date::text AS date, coalesce(b.stands, false)::text AS found,
        j.stands::text AS expected
      FROM (SELECT effective_date,
              bool_or(reverses_seq IS NULL AND journal_stands(seq, ${NOW})) AS stands
            FROM journal WHERE effective_date IS NOT NULL GROUP BY effective_date) j
      LEFT JOIN LATERAL (SELECT stands FROM book_date b
        WHERE b.effective_date = j.effective_date ORDER BY b.known_seq DESC LIMIT 1) b ON true
      WHERE coalesce(b.stands, false) <> j.stands`,
  },
];
