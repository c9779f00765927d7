/** How amounts belong together, and how rows make loans: decided, or asked. */
import type { AmountField, Field } from '../profile/profile.ts';
import type { IdentityCheck, RowChecks } from './check-rows.ts';
import type { Column } from './columns.ts';
import type { ProfileDraft } from './draft.ts';

type Find = (field: Field) => Column | undefined;

/** Identities that a profile checks without naming them; other ones are worth a sentence. */
const BY_DEFAULT: readonly AmountField[] = ['obligation', 'held', 'dueThirdParty', 'limit'];
/** Broken in more rows than these, an identity was not meant. */
const MEANT = 0.05;
/** A limit below so many balances is not theirs. */
const ODD = 0.1;

/** Writes `identities` where one of them does not hold, and `derive` for what no column has. */
export function proposeAmounts(checks: RowChecks, find: Find, draft: ProfileDraft): string[] {
  const notes: string[] = [];
  const checked = checks.identities.filter(({ rows }) => rows > 0);
  const broken = checked.filter(
    ({ field, broken: failed, rows }) =>
      failed > 0 && (BY_DEFAULT.includes(field) || failed <= rows * MEANT),
  );
  for (const { field, is, rows, broken: failed } of checked) {
    if (failed === 0) notes.push(`${field} = ${is} holds in all ${rows} rows`);
  }
  const relevant = broken.filter(({ field }) => BY_DEFAULT.includes(field));
  if (relevant.length > 0) draft.ask(['identities'], relevant.map(identityQuestion).join('; '));
  for (const identity of broken) {
    if (!relevant.includes(identity)) notes.push(brokenText(identity));
  }
  proposeDerived(find, draft);
  const { rows, first } = checks.beyondLimit;
  const limit = find('limit');
  if (limit !== undefined && rows > limit.evidence.filled * ODD) {
    const question = `[${limit.evidence.header}]? the balance is above it in ${rows} rows (first: ${first}); leave this out if it is another limit`;
    draft.ask(['columns', 'limit'], question);
  } else if (rows > 0)
    notes.push(`the balance is above the limit in ${rows} rows (first: ${first})`);
  return notes;
}

function identityQuestion(identity: IdentityCheck): string {
  const { field, is } = identity;
  return `${brokenText(identity)}; write a list with {field: ${field}, is: ${is}, tolerance: "…"} or {…, off: "why"}`;
}

function brokenText({ field, is, rows, broken, first, largestGap }: IdentityCheck): string {
  const told = is.replaceAll('-', '−');
  const gap = `largest difference ${largestGap}`;
  return `${field} = ${told} does not hold in ${broken} of ${rows} rows (first: ${first}; ${gap})`;
}

function proposeDerived(find: Find, draft: ProfileDraft): void {
  const has = (field: Field) => find(field) !== undefined;
  if (has('limit') && !has('undisbursed') && !has('disbursed') && has('due')) {
    const question = 'limit - due or 0: can the rest of the limit still be drawn?';
    draft.ask(['derive', 'undisbursed'], question);
  }
  if (has('disbursed') && !has('repaid') && has('due'))
    draft.set(['derive', 'repaid'], 'disbursed - due');
  if (has('repaid') && !has('disbursed') && has('due'))
    draft.set(['derive', 'disbursed'], 'due + repaid');
  if (['sold', 'repaidThirdParty', 'dueThirdParty'].some((field) => has(field as Field))) {
    draft.ask(['participants'], '{externalId: …, name: …}: who holds what was sold');
  }
}

/** Several rows of one number: lenders, drawings, or a mistake. */
export function proposeRows(checks: RowChecks, find: Find, draft: ProfileDraft): void {
  const lender = find('lender');
  const share = find('lenderShare');
  if (share !== undefined) {
    const most = checks.ranges.get(share)?.most;
    const largest = most === undefined ? '' : `; the largest is ${most}`;
    draft.ask(['shareUnit'], `fraction, percent or amount: “${share.evidence.header}”${largest}`);
  }
  const told = (field: Field) => {
    const { rows = 0, first = '' } = checks.repeats.get(field) ?? {};
    return `${rows} rows repeat the number of an earlier row (first: ${first})`;
  };
  const repeated = (field: Field) => (checks.repeats.get(field)?.rows ?? 0) > 0;
  if (lender !== undefined) {
    const header = `“${lender.evidence.header}”`;
    const why = repeated('loanNumber') ? `; ${told('loanNumber')}` : '';
    const question = `lender, if ${header} holds the amounts of its row; loan, if the lender of this profile holds them all${why}`;
    draft.ask(['rowIs'], question);
  } else if (repeated('loanNumber') && !draft.isOpen(['columns', 'loanNumber'])) {
    const header = find('loanNumber')?.evidence.header ?? '';
    draft.ask(['columns', 'loanNumber'], `[${header}]? ${told('loanNumber')}: ${ONE_ROW}`);
  }
  const deal = find('dealNumber');
  if (deal !== undefined && checks.repeats.get('dealNumber')?.agreeOn('borrower') === false) {
    const question = `[${deal.evidence.header}]? ${told('dealNumber')}, and rows of one number have several borrowers; leave this out if each loan is a deal of its own`;
    draft.ask(['columns', 'dealNumber'], question);
  }
  const grouped = (['facilityNumber', 'loanNumber'] as const).find(repeated);
  if (grouped !== undefined && (grouped === 'facilityNumber' || lender !== undefined)) {
    const same = (['limit', 'originalPrincipal'] as const).filter((field) =>
      checks.repeats.get(grouped)?.agreeOn(field),
    );
    const why =
      same.length > 0 ? `rows of one number state the same ${same.join(', ')}` : told(grouped);
    if (find('limit')) draft.ask(['facilityAmounts'], `repeated or split: ${why}`);
  }
}

const ONE_ROW =
  'each row must be one loan. If rows are drawings of one facility, name this column as ' +
  'facilityNumber and the drawing’s as loanNumber; if they are months, keep one month';
