import type { ReconcileStatement } from './sql-reconciler.ts';

const NOT_A_BILL = `settled_from IS NOT DISTINCT FROM settled_through`;

/** What a read of accruals relies on, besides journals. */
export const ACCRUAL_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'reversed_bills_accrue_again',
    states:
      'a bill settles days from where those that stood before it end; a reversed one settles none',
    checked: 'SELECT count(*) FROM accrual_settlement',
    breaks: `
      SELECT j.id AS journal, s.component::text AS component,
        coalesce(s.settled_from::text, 'the beginning') AS found,
        coalesce(settlement_start(s::accrual_settlement)::text, 'the beginning') AS expected
      FROM accrual_settlement s JOIN journal j ON j.seq = s.known_seq
      WHERE s.settled_from IS DISTINCT FROM settlement_start(s::accrual_settlement)`,
  },
  {
    invariant: 'late_facts_reopen_bills',
    states:
      'each fact that became known after a bill and changes the days of that bill is recorded',
    checked: `SELECT count(*) FROM accrual_settlement WHERE NOT ${NOT_A_BILL}`,
    breaks: `
      SELECT j.id AS journal, f.id AS facility, 'nothing' AS found,
        x.effective_date::text AS expected
      FROM (
        SELECT p.journal_seq AS seq, l.facility_key, l.contract_key, p.effective_date
        FROM posting p JOIN balance_line o ON o.key = p.line_key
        JOIN balance_line l ON l.key IN (o.key, o.parent_line_key) WHERE accrues_on(p.account)
        UNION
        SELECT k.seq, r.facility_key, r.contract_key, r.start_date
        FROM rate_period r CROSS JOIN LATERAL (
          SELECT r.known_seq AS seq UNION ALL SELECT reversals_of(r.known_seq)) k
        UNION
        SELECT k.seq, t.facility_key, 0, t.effective_date
        FROM facility_terms t CROSS JOIN LATERAL (
          SELECT t.known_seq AS seq UNION ALL SELECT reversals_of(t.known_seq)) k
      ) x
      JOIN journal j ON j.seq = x.seq JOIN facility f ON f.key = x.facility_key
      WHERE EXISTS (SELECT FROM accrual_settlement a
          WHERE a.facility_key = x.facility_key AND a.contract_key = x.contract_key
            AND a.known_seq < x.seq AND a.settled_through > x.effective_date)
        AND NOT EXISTS (SELECT FROM late_accrual_fact n
          WHERE n.facility_key = x.facility_key AND n.contract_key = x.contract_key
            AND n.known_seq = x.seq AND n.effective_date = x.effective_date)`,
  },
];
