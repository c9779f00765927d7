import { RECORD_TABLES } from './records.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

/** Made by triggers of journals and by nothing else. */
const FROM_JOURNALS = [
  'journal_standing',
  'presence',
  'book_date',
  'book_total',
  'sort_amount',
  'sort_label',
  'item_life',
];
const APPEND_ONLY = [
  'journal',
  'posting',
  'balance_line',
  'balance',
  'deal_terms',
  'facility_terms',
  'contract_terms',
  'rate_period',
  'accrual_settlement',
  'late_accrual_fact',
  'period_close',
  'fx_rate',
  'reported_date',
  'deal_details',
  'facility_details',
  'party_details',
  ...FROM_JOURNALS,
];
const LABELLED = [
  'facility',
  'loan_contract',
  'lender_position',
  'facility_details',
  'facility_terms',
  'contract_terms',
  'deal_details',
  'party_details',
];
/** By trigger, the tables that have it. */
const GUARDS: Readonly<Record<string, readonly string[]>> = {
  append_only: APPEND_ONLY,
  check_journals: ['journal'],
  check_journal_references: ['journal'],
  check_line_references: ['balance_line'],
  check_references_of_insert: RECORD_TABLES,
  check_references_of_update: RECORD_TABLES,
  records_stay: ['party', 'deal', 'facility', 'import_batch'],
  check_reversals: ['journal'],
  check_postings: ['posting'],
  extend_balances: ['posting'],
  check_sublimit_shares: ['posting'],
  check_sublimits: ['facility'],
  check_sublimit_lines: ['balance_line'],
  note_late_postings: ['posting'],
  note_late_rates: ['rate_period'],
  note_reversed_rates: ['journal'],
  note_late_terms: ['facility_terms', 'journal', 'accrual_settlement'],
  set_settlement_start: ['accrual_settlement'],
  note_facts_after_bills: ['accrual_settlement'],
  only_from_postings: ['balance'],
  extend_standing: ['journal'],
  end_change: ['journal'],
  close_journals: ['book_state'],
  only_from_journals: FROM_JOURNALS,
  keep_labels: LABELLED,
};
const GIVEN = Object.entries(GUARDS).flatMap(([trigger, tables]) =>
  tables.map((table) => `('${table}', '${trigger}')`),
);

/** What keeps the rest true: the database's own refusals. */
export const GUARD_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'guards_in_place',
    ofBook: true,
    states: 'the database refuses changed, deleted and unbalanced postings: its triggers are on',
    checked: `SELECT ${GIVEN.length}`,
    breaks: `
      SELECT g.name AS "table", g.guard AS trigger,
        CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END AS found, 'enabled' AS expected
      FROM (VALUES ${GIVEN.join(', ')}) g(name, guard)
      LEFT JOIN pg_trigger t ON t.tgrelid = to_regclass(g.name) AND t.tgname = g.guard
      WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A')`,
  },
];
