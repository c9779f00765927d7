import { DEFAULT_IDENTITIES } from '../profile/derivation.ts';
import { type Field, SOLD } from '../profile/fields.ts';
import type { IdentityCheck } from './identities.ts';
import { type Proposal, rowsOf } from './proposal.ts';

/** Identities that a profile checks without naming them; other ones are worth a sentence. */
const BY_DEFAULT = new Set(DEFAULT_IDENTITIES.map(([field]) => field));
/** Broken in more of the rows, an identity was not meant. */
const MEANT = 0.05;
/** A limit below so many of the balances is not theirs. */
const ODD = 0.1;

/** Writes `identities` where one of them does not hold, and `derive` for what no column has. */
export function proposeAmounts({ checks, find, draft, notes }: Proposal): void {
  const questions: string[] = [];
  for (const identity of checks.identities) {
    const { field, is, rows, broken } = identity;
    if (rows > 0 && broken === 0) notes.push(`${field} = ${is} holds in all ${rows} rows`);
    else if (broken > 0 && BY_DEFAULT.has(field)) {
      const list = `{field: ${field}, is: ${is}, tolerance: "…"} or {…, off: "why"}`;
      questions.push(`${brokenText(identity)}; write a list with ${list}`);
    } else if (broken > 0 && broken <= rows * MEANT) notes.push(brokenText(identity));
  }
  if (questions.length > 0) draft.ask(['identities'], questions.join('; '));
  const has = (field: Field) => find(field) !== undefined;
  if (has('limit') && !has('undisbursed') && !has('disbursed')) {
    const question = 'limit - due or 0: can the rest of the limit still be drawn?';
    draft.ask(['derive', 'undisbursed'], question);
  }
  if (has('disbursed') && !has('repaid')) {
    draft.set(['derive', 'repaid'], 'disbursed - due');
  }
  if (has('repaid') && !has('disbursed')) {
    draft.set(['derive', 'disbursed'], 'due + repaid');
  }
  if (SOLD.some(has)) {
    draft.ask(['participants'], '{externalId: …, name: …}: who holds what was sold');
  }
  const { rows, first } = checks.beyondLimit;
  const limit = find('limit')?.evidence;
  if (limit === undefined || rows === 0) return;
  const told = `the balance is above it in ${rowsOf(rows)} (first: ${first})`;
  if (rows <= limit.filled * ODD) notes.push(`“${limit.header}”: ${told}`);
  else {
    const question = `[${limit.header}]? ${told}; leave this out if it is another limit`;
    draft.ask(['columns', 'limit'], question);
  }
}

function brokenText({ field, is, rows, broken, first, largestGap }: IdentityCheck): string {
  const told = is.replaceAll('-', '−');
  const gap = `largest difference ${largestGap}`;
  return `${field} = ${told} does not hold in ${broken} of ${rows} rows (first: ${first}; ${gap})`;
}

const ONE_ROW =
  'each row must be one loan. If rows are drawings of one facility, name this column as ' +
  'facilityNumber and the drawing’s as loanNumber; if they are months, keep one month';

/** Several rows of one number: lenders, drawings, or a mistake. */
export function proposeRows({ checks, find, draft }: Proposal): void {
  const share = find('lenderShare');
  if (share !== undefined) {
    const most = checks.ranges.get(share)?.most;
    const largest = most === undefined ? '' : `; the largest is ${most}`;
    draft.ask(['shareUnit'], `fraction, percent or amount: “${share.evidence.header}”${largest}`);
  }
  const loans = checks.repeats.get('loanNumber');
  const facilities = checks.repeats.get('facilityNumber');
  const deals = checks.repeats.get('dealNumber');
  const lender = find('lender')?.evidence;
  const repeated = loans?.told === undefined ? '' : `; ${loans.told}`;
  if (lender !== undefined) {
    const rows = `lender, if “${lender.header}” holds the amounts of its row, or a share of them`;
    const whole = 'loan, if the lender of this profile holds them all';
    draft.ask(['rowIs'], `${rows}; ${whole}${repeated}`);
  } else if (loans?.told !== undefined && !draft.isOpen(['columns', 'loanNumber'])) {
    const path = ['columns', 'loanNumber'];
    draft.ask(path, `[${find('loanNumber')?.evidence.header}]? ${loans.told}: ${ONE_ROW}`);
  }
  if (deals?.told !== undefined && find('borrower') && !deals.agreeOn('borrower')) {
    const why = `${deals.told}, and rows of one number have several borrowers`;
    const question = `[${find('dealNumber')?.evidence.header}]? ${why}`;
    const advice = 'leave this out if each loan is a deal of its own';
    draft.ask(['columns', 'dealNumber'], `${question}; ${advice}`);
  }
  const groups = facilities?.told !== undefined ? facilities : lender && loans;
  if (groups?.told !== undefined && find('limit')) {
    const same = groups.agreeOn('limit') ? 'rows of one number state the same limit' : groups.told;
    draft.ask(['facilityAmounts'], `repeated or split: ${same}`);
  }
}
