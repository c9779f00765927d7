import { AMOUNT_FIELDS, FIELDS, type Field, IDENTIFYING } from '../profile/fields.ts';
import type { Column } from './columns.ts';
import type { ColumnKind } from './kinds.ts';
import { type Proposal, rowsOf } from './proposal.ts';

/** Fields for which a name that only resembles one is worth a question. */
const ASKED: readonly Field[] = ['borrower', 'currency', 'rate', 'maturityDate', 'due'];
const SIZES: readonly Field[] = ['limit', 'originalPrincipal'];
const NAMED = 6;

export function contestedFields(columns: readonly Column[]): ReadonlyMap<Field, readonly Column[]> {
  const claimants = FIELDS.map((field) => {
    return [field, columns.filter((column) => column.field === field)] as const;
  });
  return new Map(claimants.filter(([, claiming]) => claiming.length > 1));
}

export function proposeColumns(proposal: Proposal): void {
  const { columns, find } = proposal;
  const none = (fields: readonly Field[]) => !fields.some(find);
  for (const field of FIELDS) {
    const [first, ...others] = columns.filter((column) => column.field === field);
    if (first !== undefined) takeColumn(field, first, others, proposal);
    else if (ASKED.includes(field) || (SIZES.includes(field) && none(SIZES))) {
      askForResembling(field, proposal);
    }
  }
  if (none(IDENTIFYING)) askForNumber(proposal);
}

/** Columns with the same values are one; otherwise the sender must say which counts. */
function takeColumn(
  field: Field,
  first: Column,
  others: readonly Column[],
  { columns, checks, draft }: Proposal,
): void {
  const { header } = first.evidence;
  const path = ['columns', field];
  const twins = columns.filter(({ evidence }) => evidence.header === header).length;
  const difference = checks.differences.get(field);
  if (twins > 1) {
    draft.ask(path, `${twins} columns are named “${header}”: rename one of them in the file`);
  } else if (difference !== undefined) {
    const differ = `they differ in ${rowsOf(difference.rows)}; ${difference.first}`;
    draft.ask(path, `${listOf([first, ...others])} ${differ}`);
  } else {
    const same = others.map(({ evidence }) => `; “${evidence.header}” is the same in each row`);
    const why = (first.isVerbatim ? '' : first.how) + same.join('');
    draft.set(path, [header], why.replace(/^; /, '') || undefined);
  }
}

function listOf(columns: readonly Column[]): string {
  const names = columns.slice(0, NAMED).map(({ evidence }) => `[${evidence.header}]`);
  return names.length > 0 ? `${names.join(' or ')}?` : 'no column looks like it;';
}

function askForResembling(field: Field, { columns, draft }: Proposal): void {
  const similar = columns.filter(({ resembles }) => resembles === field);
  if (similar.length === 0) return;
  const none = field === 'due' ? '' : '; leave this out if it is not';
  draft.ask(['columns', field], `${listOf(similar)} the name is not sure${none}`);
}

function askForNumber({ columns, draft }: Proposal): void {
  const similar = columns.filter(({ resembles }) => resembles === 'loanNumber');
  const list = listOf([...new Set([...similar, ...untaken(columns, 'id')])]);
  draft.ask(['columns', 'loanNumber'], `${list} the number that identifies a loan`);
}

function untaken(columns: readonly Column[], wanted: ColumnKind): readonly Column[] {
  return columns.filter(
    ({ kind, field, isKnown, evidence }) =>
      kind === wanted && field === undefined && !isKnown && evidence.header !== '',
  );
}

/** Writes a question, or a sum, where no name gave the outstanding principal. */
export function askForMissing({ columns, find, draft }: Proposal): void {
  if (find('due') !== undefined || draft.isOpen(['columns', 'due'])) return;
  const has = (...fields: readonly Field[]) => fields.every(find);
  const derived = ['derive', 'due'];
  if (has('disbursed', 'repaid')) draft.set(derived, 'disbursed - repaid');
  else if (has('limit', 'undisbursed')) {
    draft.ask(derived, 'limit - undisbursed? right where a limit falls with what is repaid');
  } else if (has('originalPrincipal', 'repaid')) {
    draft.ask(derived, 'originalPrincipal - repaid? right where all was paid out');
  } else {
    const why = AMOUNT_FIELDS.some(find) ? '; no name says so' : '';
    const list = listOf(untaken(columns, 'amount'));
    draft.ask(['columns', 'due'], `${list} the outstanding principal${why}`);
  }
}
