import { REVOLVING_TYPES } from '../../ledger/facility-type.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

/** Whether facility `f` is of a type under which repayments restore what is available. */
export const REVOLVES = `f.type IN (${REVOLVING_TYPES.map((type) => `'${type}'`).join(', ')})`;

/**
 * Everything that moves a balance: postings, and what those under a sublimit do to the facility
 * around it. Written apart from the trigger that keeps the balances, so that each checks the other.
 */
export const EFFECTS = `
  SELECT journal_seq, line_key, effective_date, account::text AS account, movement::text AS movement,
    amount_minor
  FROM posting
  UNION ALL
  SELECT p.journal_seq, g.key, p.effective_date, e.account, NULL, e.amount
  FROM facility s
  JOIN facility f ON f.key = s.sublimit_of_key
  JOIN balance_line l ON l.facility_key = s.key
  JOIN balance_line g ON g.facility_key = f.key AND g.contract_key = 0
    AND g.lender_key = l.lender_key
  JOIN posting p ON p.line_key = l.key
  CROSS JOIN LATERAL (VALUES
    ('SUBLIMIT_USED', p.account IN ('PRINCIPAL_CASH', 'LETTER_OF_CREDIT'), p.amount_minor),
    ('UNFUNDED', p.account = 'LETTER_OF_CREDIT'
      OR (p.account = 'PRINCIPAL_PIK' AND s.pik_uses_commitment)
      OR (p.account = 'PRINCIPAL_CASH' AND (p.movement = 'advance' OR (${REVOLVES}
        AND p.movement IN ('scheduled_repayment', 'voluntary_prepayment', 'mandatory_prepayment')))),
      -p.amount_minor)) e(account, counts, amount)
  WHERE e.counts`;

export const SUBLIMIT_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'sublimits_fit',
    states: 'a sublimit and its lenders are of one facility of its deal and currency',
    checked: 'SELECT count(*) FROM facility',
    breaks: `
      SELECT s.id AS facility, NULL AS lender, concat_ws(' ', s.deal_key, s.currency) AS found,
        concat_ws(' ', f.deal_key, f.currency) AS expected
      FROM facility s JOIN facility f ON f.key = s.sublimit_of_key
      WHERE f.deal_key <> s.deal_key OR f.currency <> s.currency OR f.sublimit_of_key IS NOT NULL
      UNION ALL
      SELECT s.id, h.id, coalesce(l.parent_line_key::text, 'none'), coalesce(g.key::text, 'a line')
      FROM facility s JOIN balance_line l ON l.facility_key = s.key
      LEFT JOIN party h ON h.key = l.lender_key
      LEFT JOIN balance_line g ON g.facility_key = s.sublimit_of_key AND g.contract_key = 0
        AND g.lender_key = l.lender_key
      WHERE s.sublimit_of_key IS NOT NULL
        AND (g.key IS NULL OR l.parent_line_key IS DISTINCT FROM g.key)`,
  },
];
