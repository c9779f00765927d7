import { RECORD_TABLES } from './records.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

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
  'journal_standing',
  'presence',
  'book_date',
  'book_total',
  'sort_amount',
  'sort_label',
  'item_life',
];
const GUARDS = [
  ...APPEND_ONLY.map((table) => [table, 'append_only']),
  ['journal', 'check_journals'],
  ['journal', 'check_journal_references'],
  ['balance_line', 'check_line_references'],
  ...RECORD_TABLES.flatMap((table) => [
    [table, 'check_references_of_insert'],
    [table, 'check_references_of_update'],
  ]),
  ['party', 'records_stay'],
  ['deal', 'records_stay'],
  ['facility', 'records_stay'],
  ['import_batch', 'records_stay'],
  ['journal', 'check_reversals'],
  ['posting', 'check_postings'],
  ['posting', 'extend_balances'],
  ['posting', 'check_sublimit_shares'],
  ['facility', 'check_sublimits'],
  ['balance_line', 'check_sublimit_lines'],
  ['posting', 'note_late_postings'],
  ['rate_period', 'note_late_rates'],
  ['journal', 'note_reversed_rates'],
  ...['facility_terms', 'journal', 'accrual_settlement'].map((table) => [table, 'note_late_terms']),
  ['accrual_settlement', 'set_settlement_start'],
  ['accrual_settlement', 'note_facts_after_bills'],
  ['balance', 'only_from_postings'],
  ['journal', 'extend_standing'],
  ['journal', 'end_change'],
  ['book_state', 'close_journals'],
  ['journal_standing', 'only_from_journals'],
  ['presence', 'only_from_journals'],
  ['book_date', 'only_from_journals'],
  ['book_total', 'only_from_journals'],
  ...['sort_amount', 'sort_label', 'item_life'].map((table) => [table, 'only_from_journals']),
  ...[
    'facility',
    'loan_contract',
    'lender_position',
    'facility_details',
    'facility_terms',
    'contract_terms',
    'deal_details',
    'party_details',
  ].map((table) => [table, 'keep_labels']),
];
const GIVEN = GUARDS.map(([table, trigger]) => `('${table}', '${trigger}')`).join(', ');

/** What keeps the rest true: the database's own refusals. */
export const GUARD_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'guards_in_place',
    ofBook: true,
    states: 'the database refuses changed, deleted and unbalanced postings: its triggers are on',
    checked: `SELECT ${GUARDS.length}`,
    breaks: `
      SELECT g.name AS "table", g.guard AS trigger,
        CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END AS found, 'enabled' AS expected
      FROM (VALUES ${GIVEN}) g(name, guard)
      LEFT JOIN pg_trigger t ON t.tgrelid = to_regclass(g.name) AND t.tgname = g.guard
      WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A')`,
  },
];
