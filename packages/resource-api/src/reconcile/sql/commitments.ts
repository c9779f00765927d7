import type { ReconcileStatement } from './sql-reconciler.ts';
import { REVOLVES } from './sublimits.ts';

/** Movements of cash that draw on a commitment, and those that give it back where it revolves. */
const DRAWS = `('advance')`;
const REVOLVING_DRAWS = `('advance', 'scheduled_repayment', 'voluntary_prepayment',
  'mandatory_prepayment')`;

/**
 * What a journal's postings do to unfunded − (original − cancelled − used): nothing, unless the
 * journal is an adjustment. Repayment gives back what revolves and nothing else; what is written
 * off, sold or rolled over changes no commitment.
 */
const GAP = `
  CASE
    WHEN p.account IN ('UNFUNDED', 'CANCELLED_COMMITMENT', 'LETTER_OF_CREDIT') THEN p.amount_minor
    WHEN p.account = 'ORIGINAL_COMMITMENT' THEN -p.amount_minor
    WHEN p.account = 'PRINCIPAL_CASH' AND p.movement IN ${DRAWS} THEN p.amount_minor
    WHEN p.account = 'PRINCIPAL_CASH' AND p.movement IN ${REVOLVING_DRAWS}
      AND ${REVOLVES} THEN p.amount_minor
    WHEN p.account = 'PRINCIPAL_PIK' AND f.pik_uses_commitment THEN p.amount_minor
    ELSE 0
  END`;

/** A reversal counts as what it reverses. Facilities without any commitment are left out. */
const GAPS = `
  SELECT l.facility_key, sum(${GAP}) FILTER (WHERE NOT adjusts.so) AS gap,
    sum(${GAP}) FILTER (WHERE adjusts.so) AS explained
  FROM posting p
  JOIN balance_line l ON l.key = p.line_key AND l.lender_key = 0
  JOIN facility f ON f.key = l.facility_key
  JOIN journal j ON j.seq = p.journal_seq
  LEFT JOIN journal r ON r.seq = j.reverses_seq
  CROSS JOIN LATERAL (
    SELECT coalesce(r.type, j.type) IN ('commitment_adjustment', 'adjustment') AS so) adjusts
  GROUP BY l.facility_key
  HAVING bool_or(p.account IN ('ORIGINAL_COMMITMENT', 'UNFUNDED'))`;

export const COMMITMENT_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'unfunded_is_undrawn',
    states: 'unfunded is the commitment less what is drawn on it, by the facility’s type',
    checked: 'SELECT count(*) FROM facility',
    explained: `SELECT count(*) FROM (${GAPS}) g WHERE g.explained <> 0 AND coalesce(g.gap, 0) = 0`,
    breaks: `
      SELECT f.id AS facility, f.type, g.gap::text AS found, '0' AS expected
      FROM (${GAPS}) g JOIN facility f ON f.key = g.facility_key WHERE g.gap <> 0`,
  },
];
