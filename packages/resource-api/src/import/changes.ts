/** How a statement differs from the book, by kind, and the rule for each kind. */
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount } from '../ledger/money.ts';
import { detailsOf, EMPTY_LOAN, type KnownLoan, movementsOf, termsOf } from './plan.ts';
import type { AmountField, ImportProfile } from './profile.ts';
import type { StatementRow } from './statement-row.ts';

export const CHANGE_RULES = {
  new_loan: 'booked with all of its amounts, dated by the statement',
  vanished: 'kept; nothing is posted',
  original_restated: 'the difference is posted as original_commitment',
  amount_fell: 'the difference is posted as a negative movement of the same type',
  due_gap:
    'the due amount of the statement counts; the gap is posted as adjustment, with the reason',
  undisbursed_gap:
    'the undisbursed amount of the statement counts; the gap is posted as commitment_adjustment',
  terms_changed: 'new terms from the date of the statement on',
  details_changed: 'a new name, borrower, guarantor or country from the date of the statement on',
  kept_as_booked: 'stays as booked; nothing is changed',
} as const;
export type ChangeKind = keyof typeof CHANGE_RULES;

export interface LoanChange {
  readonly kind: ChangeKind;
  readonly loan: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Cumulative amounts never fall in a statement without corrections. */
const CUMULATIVE = ['cancelled', 'disbursed', 'repaid', 'sold', 'repaidThirdParty'] as const;

export function changesOf(
  row: StatementRow,
  known: KnownLoan | undefined,
  profile: ImportProfile,
): readonly LoanChange[] {
  const digits = minorUnitDigits(profile.currency) ?? 2;
  const money = (amount: bigint) => formatAmount(amount, digits);
  const change = (kind: ChangeKind, field: string, before: string, after: string): LoanChange => ({
    kind,
    loan: row.loanNumber,
    field,
    before,
    after,
  });
  const differing = (kind: ChangeKind, field: AmountField, before: bigint, after: bigint) =>
    before === after ? [] : [change(kind, field, money(before), money(after))];
  const { amounts } = row;
  const { expected } = movementsOf(amounts, known ?? EMPTY_LOAN);
  const gaps = [
    ...differing('due_gap', 'due', expected.due, amounts.due),
    ...differing('undisbursed_gap', 'undisbursed', expected.undisbursed, amounts.undisbursed),
  ];
  if (known?.present !== true) return [change('new_loan', '', '', ''), ...gaps];
  const { originalPrincipal: original } = known;
  const fallen = CUMULATIVE.filter((field) => amounts[field] < known[field]);
  return [
    ...differing('original_restated', 'originalPrincipal', original, amounts.originalPrincipal),
    ...fallen.flatMap((field) => differing('amount_fell', field, known[field], amounts[field])),
    ...gaps,
    ...termChanges(row, known, change),
    ...detailChanges(row, known, change),
    ...keptFields(row, known, change),
  ];
}

type MakeChange = (kind: ChangeKind, field: string, before: string, after: string) => LoanChange;

function termChanges(
  row: StatementRow,
  known: KnownLoan,
  change: MakeChange,
): readonly LoanChange[] {
  const now = termsOf(row, known);
  const told = [
    ['status', known.terms.statuses.join('/'), now.statuses.join('/')],
    ['maturityDate', known.terms.maturityDate ?? '', now.maturityDate ?? ''],
    ['allInRate', known.terms.allInRate ?? '', now.allInRate ?? ''],
  ] as const;
  return told.flatMap(([field, before, after]) =>
    before === after ? [] : [change('terms_changed', field, before, after)],
  );
}

function detailChanges(row: StatementRow, loan: KnownLoan, change: MakeChange) {
  const { details: known } = loan;
  const now = detailsOf(row, loan);
  const guarantor = known.guarantor ?? undefined;
  const told = [
    ['name', known.name === now.name, known.name, now.name],
    ['borrower', known.borrower === now.borrower, known.borrower.name, now.borrower.name],
    ['guarantor', guarantor === now.guarantor, guarantor?.name ?? '', now.guarantor?.name ?? ''],
    ['country', known.country === now.country, known.country, now.country],
  ] as const;
  return told.flatMap(([field, same, before, after]) =>
    same ? [] : [change('details_changed', field, before, after)],
  );
}

function keptFields(row: StatementRow, { facilityType }: KnownLoan, change: MakeChange) {
  if (facilityType === row.facilityType) return [];
  return [change('kept_as_booked', 'facilityType', facilityType, row.facilityType)];
}

/** Loans of the book that the statement does not have any more. */
export function vanished(
  rows: readonly StatementRow[],
  known: ReadonlyMap<string, KnownLoan>,
): readonly LoanChange[] {
  const told = new Set(rows.map(({ loanNumber }) => loanNumber));
  return [...known.keys()]
    .filter((loan) => known.get(loan)?.present && !told.has(loan))
    .map((loan) => ({ kind: 'vanished', loan, field: '', before: '', after: '' }));
}
