import { createHash } from 'node:crypto';
import type { BusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount, parseAmount } from '../ledger/money.ts';
import type { Book, PlannedLoan } from './book.ts';
import { EMPTY_LOAN, planLoan } from './plan.ts';
import { AMOUNT_FIELDS, type AmountField, type TapeProfile } from './profile.ts';
import { readTape } from './read-tape.ts';
import type { TapeFault, TapeRow } from './tape-row.ts';

export interface ImportRequest {
  readonly text: string;
  readonly profile: TapeProfile;
  readonly apply: boolean;
  /** What the sender says the file holds; a difference refuses it. */
  readonly expected: { readonly rows?: number; readonly sums: Readonly<Record<string, string>> };
}

export interface ImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly importId?: string;
  readonly profile: string;
  readonly asOf?: BusinessDate;
  readonly fileSha256: string;
  readonly rows: number;
  readonly newLoans: number;
  readonly journals: number;
  readonly postings: number;
  /** Sums of every amount column, as decimal strings of the profile's currency. */
  readonly controlTotals: Readonly<Record<string, string>>;
  readonly faults: readonly TapeFault[];
  readonly warnings: readonly TapeFault[];
}

/** Imports a statement; without `apply` it does all but write. */
export async function importTape(book: Book, request: ImportRequest): Promise<ImportReport> {
  const { text, profile, expected } = request;
  const fileSha256 = createHash('sha256').update(text).digest('hex');
  const tape = readTape(text, profile);
  const controlTotals = sumColumns(tape.rows, profile);
  const faults = [
    ...tape.faults,
    ...(tape.faults.length > 0
      ? []
      : checkTotals(tape.rows.length, controlTotals, expected, profile)),
  ];
  const facts = {
    profile: profile.name,
    fileSha256,
    rows: tape.rows.length,
    controlTotals,
    faults,
    warnings: tape.warnings,
    ...(tape.asOf === undefined ? {} : { asOf: tape.asOf }),
  };
  const nothing = { newLoans: 0, journals: 0, postings: 0 };
  if (faults.length > 0 || tape.asOf === undefined) {
    return { ...facts, ...nothing, outcome: 'refused' };
  }
  const before = await book.findImport(profile.name, fileSha256);
  if (before !== undefined) {
    return { ...facts, ...nothing, outcome: 'applied_before', importId: before.id };
  }
  const loans = await planLoans(book, tape.rows, tape.asOf, profile);
  const journals = loans.flatMap((loan) => loan.journals);
  const counts = {
    newLoans: loans.filter(({ known }) => !known).length,
    journals: journals.length,
    postings: journals.reduce((sum, { postings }) => sum + postings.length, 0),
  };
  if (!request.apply) return { ...facts, ...counts, outcome: 'valid' };
  const { id } = await book.apply({ profile, fileSha256, asOf: tape.asOf, controlTotals, loans });
  return { ...facts, ...counts, outcome: 'applied', importId: id };
}

async function planLoans(
  book: Book,
  rows: readonly TapeRow[],
  asOf: BusinessDate,
  profile: TapeProfile,
): Promise<readonly PlannedLoan[]> {
  const states = await book.loanStates(profile.source, asOf);
  const context = { asOf, keyPrefix: `${profile.name}:${asOf}` };
  return rows.map((row) => {
    const state = states.get(row.loanNumber);
    const journals = planLoan(row, state ?? EMPTY_LOAN, context);
    return { row, known: state !== undefined, journals };
  });
}

function sumColumns(rows: readonly TapeRow[], profile: TapeProfile): Record<AmountField, string> {
  const digits = minorUnitDigits(profile.currency) ?? 2;
  const sums = AMOUNT_FIELDS.map((field) => {
    const sum = rows.reduce((total, { amounts }) => total + amounts[field], 0n);
    return [field, formatAmount(sum, digits)] as const;
  });
  return Object.fromEntries(sums) as Record<AmountField, string>;
}

function checkTotals(
  rows: number,
  sums: Readonly<Record<string, string>>,
  expected: ImportRequest['expected'],
  profile: TapeProfile,
): readonly TapeFault[] {
  const digits = minorUnitDigits(profile.currency) ?? 2;
  const faults: TapeFault[] = [];
  const fault = (column: string, message: string, value: string) =>
    faults.push({ row: 0, column, code: 'control_total', message, value });
  if (expected.rows !== undefined && expected.rows !== rows) {
    fault('', `expected ${expected.rows} rows`, `${rows}`);
  }
  for (const [column, text] of Object.entries(expected.sums)) {
    const wanted = parseAmount(text, digits);
    const sum = sums[column];
    if (sum === undefined || wanted === undefined) {
      fault(column, `expected one of ${AMOUNT_FIELDS.join(', ')} and a plain decimal`, text);
    } else if (formatAmount(wanted.amountMinor, digits) !== sum) {
      fault(column, `expected a sum of ${text}`, sum);
    }
  }
  return faults;
}
