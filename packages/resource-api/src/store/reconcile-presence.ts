import type { ReconcileStatement } from './sql-reconciler.ts';

/** After every sequence: all that is known. */
const NOW = '9223372036854775807';

const RECORDS = `(
  SELECT 'deal' AS kind, key, id, booked_seq FROM deal
  UNION ALL SELECT 'facility', key, id, booked_seq FROM facility
  UNION ALL SELECT 'contract', key, id, booked_seq FROM loan_contract
  UNION ALL SELECT 'position', key, id, booked_seq FROM lender_position)`;

/** Records that the book has since another date than its journals say, as known at a sequence. */
const misdated = (seq: string) => `
  SELECT r.kind, r.id AS record, ${seq}::bigint::text AS "ledgerSeq",
    s.found::text AS found, s.expected::text AS expected
  FROM ${RECORDS} r CROSS JOIN LATERAL (SELECT known_since(r.kind, r.key, ${seq}) AS found,
    since_by_journals(r.kind, r.key, ${seq}) AS expected) s
  WHERE r.booked_seq <= ${seq} AND s.found <> s.expected`;

/** What becomes of records, terms and dates when journals are taken back. */
export const PRESENCE_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'presence_follows_journals',
    states:
      'the book has each record since its earliest journal that stands, or since a stated date',
    checked: `SELECT count(*) FROM ${RECORDS} r`,
    breaks: misdated(NOW),
  },
  {
    invariant: 'past_presence_follows_journals',
    states: 'so it had each record as it was known in the past',
    perPoint: true,
    checked: `SELECT count(*) FROM ${RECORDS} r`,
    breaks: `SELECT * FROM (${misdated('$2')}) past WHERE $1::date IS NOT NULL`,
  },
  {
    invariant: 'standing_follows_reversals',
    states: 'a journal stands unless it is taken back: an odd number of reversals, one of another',
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
    states: 'the book has data for the dates on which a journal stands',
    checked: 'SELECT count(DISTINCT effective_date) FROM journal',
    breaks: `
      SELECT j.effective_date::text AS date, coalesce(b.stands, false)::text AS found,
        j.stands::text AS expected
      FROM (SELECT effective_date,
              bool_or(reverses_seq IS NULL AND journal_stands(seq, ${NOW})) AS stands
            FROM journal GROUP BY effective_date) j
      LEFT JOIN LATERAL (SELECT stands FROM book_date b
        WHERE b.effective_date = j.effective_date ORDER BY b.known_seq DESC LIMIT 1) b ON true
      WHERE coalesce(b.stands, false) <> j.stands`,
  },
];
