import { csvLine } from '../../csv/csv-line.ts';
import type { FileFault } from '../file/table.ts';
import type { LoanChange } from '../plan/changes.ts';

export const FAULTS_HEADER = csvLine(['row', 'column', 'code', 'expected', 'value']);

export function faultLine({ row, column, code, message, value }: FileFault): string {
  return csvLine([row, column, code, message, value]);
}

export const CHANGES_HEADER = csvLine(['change', 'loan', 'field', 'before', 'after']);

export function changeLine({ kind, loan, field, before, after }: LoanChange): string {
  return csvLine([kind, loan, field, before, after]);
}
