/** Which columns stand for which fields of the profile: decided, or asked. */
import { AMOUNT_FIELDS, FIELDS, type Field } from '../profile/profile.ts';
import type { RowChecks } from './check-rows.ts';
import type { Column } from './columns.ts';
import type { ProfileDraft } from './draft.ts';

const ASKED: readonly Field[] = [
  'loanNumber',
  'borrower',
  'currency',
  'rate',
  'maturityDate',
  'due',
];
const SIZES: readonly Field[] = ['limit', 'originalPrincipal'];

/** Whether a name that only resembles the field is worth a question. */
function isAsked(field: Field, columns: readonly Column[]): boolean {
  if (ASKED.includes(field)) return true;
  return (
    SIZES.includes(field) && !columns.some((column) => column.field && SIZES.includes(column.field))
  );
}

/** Columns that all stand for one field. */
export function contestedFields(
  columns: readonly Column[],
): ReadonlyMap<string, readonly Column[]> {
  const byField = new Map<string, Column[]>();
  for (const column of columns) {
    if (column.field === undefined) continue;
    byField.set(column.field, [...(byField.get(column.field) ?? []), column]);
  }
  return new Map([...byField].filter(([, claimants]) => claimants.length > 1));
}

/** Writes `columns`. */
export function proposeColumns(
  columns: readonly Column[],
  checks: RowChecks,
  draft: ProfileDraft,
): void {
  for (const field of FIELDS) {
    const claimants = columns.filter((column) => column.field === field);
    const [first, second] = claimants;
    if (first !== undefined && second === undefined) takeColumn(field, first, columns, draft);
    else if (first !== undefined) choose(field, claimants, checks, draft);
    else if (isAsked(field, columns)) askForResembling(field, columns, draft);
  }
}

function takeColumn(
  field: Field,
  column: Column,
  columns: readonly Column[],
  draft: ProfileDraft,
): void {
  const { header } = column.evidence;
  const twins = columns.filter(({ evidence }) => evidence.header === header);
  const path = ['columns', field];
  if (twins.length > 1) {
    draft.ask(
      path,
      `${twins.length} columns are named “${header}”: rename one of them in the file`,
    );
  } else draft.set(path, [header], column.how || undefined);
}

/** Two columns with the same values are one; otherwise the sender must say which counts. */
function choose(
  field: Field,
  claimants: readonly Column[],
  checks: RowChecks,
  draft: ProfileDraft,
): void {
  const names = claimants.map(({ evidence }) => `[${evidence.header}]`);
  const path = ['columns', field];
  const difference = checks.differences.get(field);
  const [first] = claimants;
  if (difference === undefined) {
    const others = claimants.slice(1).map(({ evidence }) => `“${evidence.header}”`);
    const header = first?.evidence.header ?? '';
    draft.set(path, [header], `${first?.how}; ${others.join(', ')} is the same in each row`);
    return;
  }
  const rows = difference.rows === 1 ? '1 row' : `${difference.rows} rows`;
  draft.ask(path, `${names.join(' or ')}? they differ in ${rows}; ${difference.first}`);
}

function askForResembling(field: Field, columns: readonly Column[], draft: ProfileDraft): void {
  const similar = columns.filter(
    ({ resembles, kind, field: taken, isKnown }) =>
      resembles === field ||
      (field === 'loanNumber' && kind === 'id' && taken === undefined && !isKnown),
  );
  if (similar.length === 0) return;
  const names = similar.slice(0, 4).map(({ evidence }) => `[${evidence.header}]`);
  const none = field === 'due' || field === 'loanNumber' ? '' : '; leave this out if it is not';
  draft.ask(['columns', field], `${names.join(' or ')}? the name is not sure${none}`);
}

/** Writes questions for what every statement needs and no name gave. */
export function askForMissing(columns: readonly Column[], draft: ProfileDraft): void {
  const document = draft.document['columns'] as Partial<Record<Field, unknown>> | undefined;
  const has = (field: Field) => document !== undefined && Object.hasOwn(document, field);
  const listed = (kinds: readonly string[]) => {
    const some = columns.filter(
      ({ kind, field, isKnown, evidence }) =>
        kinds.includes(kind) && field === undefined && !isKnown && evidence.header !== '',
    );
    const names = some.slice(0, 6).map(({ evidence }) => `[${evidence.header}]`);
    return names.length > 0 ? `${names.join(' or ')}?` : 'no column looks like it;';
  };
  if (!(has('loanNumber') || has('facilityNumber') || has('dealNumber'))) {
    draft.ask(['columns', 'loanNumber'], `${listed(['id'])} the number that identifies a loan`);
  }
  if (has('due')) return;
  if (has('disbursed') && has('repaid')) draft.set(['derive', 'due'], 'disbursed - repaid');
  else if (has('limit') && has('undisbursed')) {
    draft.ask(
      ['derive', 'due'],
      'limit - undisbursed? right where a limit falls with what is repaid',
    );
  } else if (has('originalPrincipal') && has('repaid')) {
    draft.ask(['derive', 'due'], 'originalPrincipal - repaid? right where all was paid out');
  } else if (AMOUNT_FIELDS.some(has)) {
    draft.ask(
      ['columns', 'due'],
      `${listed(['amount'])} the outstanding principal; no name says so`,
    );
  } else draft.ask(['columns', 'due'], `${listed(['amount'])} the outstanding principal`);
}
