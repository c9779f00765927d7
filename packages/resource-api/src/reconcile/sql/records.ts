import type { ReconcileStatement } from './sql-reconciler.ts';

/** What each record names, as `check_references` of the database has it: column and table. */
const REFERENCES: readonly (readonly [child: string, column: string, parent: string])[] = [
  ['deal', 'borrower_key', 'party'],
  ['deal', 'agent_key', 'party'],
  ['deal', 'guarantor_key', 'party'],
  ['facility', 'deal_key', 'deal'],
  ['loan_contract', 'deal_key', 'deal'],
  ['loan_contract', 'facility_key', 'facility'],
  ['lender_position', 'deal_key', 'deal'],
  ['lender_position', 'facility_key', 'facility'],
  ['lender_position', 'lender_key', 'party'],
];
export const RECORD_TABLES = [...new Set(REFERENCES.map(([child]) => child))];

/** Records name records that are there. */
export const RECORD_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'records_refer',
    states: 'each deal, facility, contract and position names parties and records that are there',
    checked: `SELECT ${RECORD_TABLES.map((name) => `(SELECT count(*) FROM ${name})`).join(' + ')}`,
    breaks: REFERENCES.map(
      ([child, column, parent]) => `
      SELECT c.id AS record, '${column}' AS names, c.${column}::text AS found,
        'a ${parent}' AS expected
      FROM ${child} c LEFT JOIN ${parent} p ON p.key = c.${column}
      WHERE c.${column} IS NOT NULL AND p.key IS NULL`,
    ).join(' UNION ALL '),
  },
];
