import type { ReconcileStatement } from './sql-reconciler.ts';

/** Journals whose contents are made at once. */
const STEP = 2_000;

/**
 * Every journal's hash made anew, from the hash stored before it and its content. By induction all
 * are right when each is. `$1` is the last sequence.
 */
const RECOMPUTED = `
  SELECT c.journal_seq AS seq, chained_hash(b.hash, c.content) AS hash
  FROM generate_series(1, $1::bigint, ${STEP}) step(first)
  CROSS JOIN LATERAL journal_content(step.first, least(step.first + ${STEP - 1}, $1)) c
  LEFT JOIN journal_hash b ON b.seq = c.journal_seq - 1`;

/** Journals through `$1` whose stored hash is not what their content and the hash before make. */
export const BROKEN_LINKS = `
  SELECT coalesce(h.seq, r.seq)::text AS sequence, j.id AS journal,
    coalesce(h.hash, 'no hash') AS found,
    CASE WHEN j.seq IS NULL THEN 'no hash: the journal is gone'
         ELSE coalesce(r.hash, 'no facility, contract or position is there before its deal') END AS expected
  FROM (SELECT * FROM journal_hash WHERE seq <= $1) h
  FULL JOIN (${RECOMPUTED}) r ON r.seq = h.seq
  LEFT JOIN journal j ON j.seq = coalesce(h.seq, r.seq)
  WHERE h.hash IS DISTINCT FROM r.hash`;

const THROUGH_THE_LAST = `(SELECT greatest((SELECT max(seq) FROM journal),
  (SELECT max(seq) FROM journal_hash)))`;

/** What follows from journals, rules and records alone, and is kept beside them. */
export const CHAIN_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'chain_unbroken',
    ofBook: true,
    states: 'each journal’s hash is made of the one before and of all that became known with it',
    checked: 'SELECT count(*) FROM journal_hash',
    breaks: `SELECT * FROM (${BROKEN_LINKS.replaceAll('$1', THROUGH_THE_LAST)}) links ORDER BY sequence::bigint`,
  },
  {
    invariant: 'entitlements_follow',
    states: 'who sees a deal follows from the rules, for every deal and rule',
    checked: 'SELECT count(*) FROM deal',
    breaks: `
      WITH follows AS (
        SELECT r.key AS rule_key, r.customer_id, d.deal_key, r.role, r.lender_key
        FROM entitlement_rule r JOIN deal_now d ON r.all_deals OR d.deal_key = r.deal_key
          OR d.borrower_key = r.borrower_key OR d.country = r.country
      ), differing AS (
        (SELECT *, 'kept' AS found, 'no such rule' AS expected FROM
          (SELECT rule_key, customer_id, deal_key, role, lender_key FROM entitlement
           EXCEPT SELECT * FROM follows) more)
        UNION ALL
        (SELECT *, 'nothing', 'kept, by the rule' FROM
          (SELECT * FROM follows
           EXCEPT SELECT rule_key, customer_id, deal_key, role, lender_key FROM entitlement) less)
      )
      SELECT x.rule_key::text AS rule, x.customer_id AS customer, d.id AS deal, x.role, x.found,
        x.expected
      FROM differing x LEFT JOIN deal d ON d.key = x.deal_key`,
  },
  {
    invariant: 'reported_dates_follow',
    ofBook: true,
    states: 'when the book first reached a date follows from its journals',
    checked: 'SELECT count(*) FROM reported_date',
    breaks: `
      WITH follows AS (
        SELECT reached, min(posted_at) AS posted_at
        FROM (SELECT posted_at, max(latest) OVER (ORDER BY posted_at) AS reached
              FROM (SELECT posted_at, max(effective_date) AS latest FROM journal
                    WHERE effective_date IS NOT NULL GROUP BY posted_at) transactions) j
        GROUP BY reached
      )
      SELECT f.reached::text AS date, 'nothing' AS found, f.posted_at::text AS expected
      FROM follows f
      WHERE NOT EXISTS (SELECT FROM reported_date d WHERE d.effective_date = f.reached)
      UNION ALL
      -- A transaction may have reached dates before its last one.
      SELECT d.effective_date::text, d.posted_at::text, coalesce(f.posted_at::text, 'nothing')
      FROM reported_date d LEFT JOIN LATERAL (
        SELECT posted_at FROM follows WHERE reached >= d.effective_date ORDER BY reached LIMIT 1
      ) f ON true
      WHERE d.posted_at IS DISTINCT FROM f.posted_at`,
  },
];
