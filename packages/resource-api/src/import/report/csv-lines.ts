import { csvLine } from '../../csv/csv-line.ts';
import type { LoanChange } from '../plan/changes.ts';
import type { StatementFault } from '../statement/statement-row.ts';

/** All faults of a statement, a line each. */
export const FAULTS_HEADER = csvLine(['row', 'column', 'code', 'expected', 'value']);

export function faultLine({ row, column, code, message, value }: StatementFault): string {
  return csvLine([row, column, code, message, value]);
}

/** All changes, a line each. */
export const CHANGES_HEADER = csvLine(['change', 'loan', 'field', 'before', 'after']);

export function changeLine({ kind, loan, field, before, after }: LoanChange): string {
  return csvLine([kind, loan, field, before, after]);
}
