import type { ColumnEvidence } from './evidence.ts';
import { type Proposal, rowsOf } from './proposal.ts';

/** Values of one column that a profile can list. */
const LISTED = 60;
const EXAMPLE = '[active, active, active] or another?';
const STATUSES =
  'Of deal, facility and contract: the first two are pending, active, matured or terminated;\n' +
  'the third is pending, active, repaid or written_off.';
const TYPES = 'term_loan, revolver, delayed_draw, letter_of_credit, swingline or bridge?';

/** Writes `statuses`. A status of the past is asked for where rows with it owe something. */
export function proposeStatuses({ checks, find, dictionary, draft }: Proposal): void {
  const evidence = find('status')?.evidence;
  if (evidence === undefined) return;
  const { values, distinct, header, empty } = evidence;
  if (isTooLong(evidence)) {
    draft.ask(['statuses', '*'], `“${header}” has ${distinct} values: is it the status of loans?`);
    return;
  }
  for (const [value, { cells }] of values) {
    const known = dictionary.statuses.get(dictionary.wordsOf(value).join(' '));
    const owing = known?.[2] === 'active' ? 0 : (checks.owing.get(value) ?? 0);
    const path = ['statuses', value];
    if (known === undefined) draft.ask(path, `${EXAMPLE} in ${rowsOf(cells)}`);
    else if (owing === 0) draft.set(path, [...known]);
    else
      draft.ask(
        path,
        `[${known.join(', ')}] or another? ${rowsOf(owing)} of ${cells} still owe something`,
      );
  }
  if (empty > 0) draft.ask(['statuses', '*'], `${EXAMPLE} in ${rowsOf(empty)} without one`);
  draft.comments.set('statuses', STATUSES);
}

/** Writes `facilityTypes`; types that nobody knows are one question. */
export function proposeTypes({ find, dictionary, draft }: Proposal): void {
  const evidence = find('loanType')?.evidence;
  const others = ['facilityTypes', '*'];
  if (evidence === undefined) {
    if (find('limit') === undefined && find('undisbursed') === undefined) return;
    draft.ask(others, `${TYPES} no column says whether what is repaid can be drawn again`);
    return;
  }
  const { values, distinct, header, empty } = evidence;
  if (isTooLong(evidence)) {
    draft.ask(others, `${TYPES} “${header}” has ${distinct} values, too many to list`);
    return;
  }
  if (empty > 0) draft.ask(['facilityTypes', ''], `${TYPES} in ${rowsOf(empty)} without one`);
  const unknown: string[] = [];
  for (const [value, { cells }] of values) {
    const type = dictionary.facilityTypes.get(dictionary.wordsOf(value).join(' '));
    if (type !== undefined) draft.set(['facilityTypes', value], type);
    else unknown.push(`“${value}” (${rowsOf(cells)})`);
  }
  if (unknown.length === 0) return;
  draft.ask(others, `${TYPES} for ${unknown.join(', ')}; where they differ, give each its line`);
}

function isTooLong({ values, distinct }: ColumnEvidence): boolean {
  return distinct > LISTED || values.size < distinct;
}
