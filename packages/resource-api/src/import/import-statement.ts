import { createHash } from 'node:crypto';
import { roomExpected } from '../journal-file/volumes.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { BOOK_MAX_MINOR, formatAmount, magnitudeOf, parseAmount } from '../ledger/money.ts';
import type { Book, BookState, PlannedLoan, StatementFile } from './book.ts';
import { CHANGE_RULES, type ChangeKind, changesOf, type LoanChange, vanished } from './changes.ts';
import { EMPTY_LOAN, planBooking, planLoan, planTerms } from './plan.ts';
import { AMOUNT_FIELDS, type AmountField, type ImportProfile } from './profile.ts';
import { readStatement } from './read-statement.ts';
import type { StatementFault, StatementRow } from './statement-row.ts';

export interface ImportRequest {
  readonly text: string;
  readonly profile: ImportProfile;
  readonly apply: boolean;
  /** The sender's control totals; the file is refused when they differ. */
  readonly expected: { readonly rows?: number; readonly sums: Readonly<Record<string, string>> };
}

export interface ImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly importId?: string | undefined;
  readonly profile: string;
  readonly asOf?: BusinessDate;
  readonly fileSha256: string;
  readonly rows: number;
  readonly newLoans: number;
  readonly journals: number;
  readonly postings: number;
  /** Sums of every amount column, as decimal strings of the profile's currency. */
  readonly controlTotals: Readonly<Record<string, string>>;
  readonly faults: readonly StatementFault[];
  readonly warnings: readonly StatementFault[];
  /** The differences from the book, by kind, with the rule for each kind. */
  readonly changes: readonly ChangeSummary[];
}

export interface ChangeSummary {
  readonly kind: ChangeKind;
  readonly rule: string;
  readonly loans: number;
  readonly changes: readonly Omit<LoanChange, 'kind'>[];
}

/** Imports a statement. Without `apply`, it checks and plans, and writes nothing. */
export async function importStatement(book: Book, request: ImportRequest): Promise<ImportReport> {
  const { text, profile, expected } = request;
  const fileSha256 = createHash('sha256').update(text).digest('hex');
  const parsed = readStatement(text, profile);
  const controlTotals = sumColumns(parsed.rows, profile);
  const { asOf, rows, warnings } = parsed;
  const faults =
    parsed.faults.length > 0
      ? parsed.faults
      : checkTotals(rows.length, controlTotals, expected, profile);
  const facts = { profile: profile.name, fileSha256, rows: rows.length, controlTotals, warnings };
  if (faults.length > 0 || asOf === undefined) {
    return { ...facts, ...NOTHING, ...(asOf ? { asOf } : {}), faults, outcome: 'refused' };
  }
  const file = { profile, fileSha256, asOf, controlTotals, grossMinor: grossOf(rows) };
  let decision: Decision = { ...UNDECIDED, outcome: 'valid' };
  let importId: string | undefined;
  if (request.apply) {
    importId = await book.apply(file, (state) => {
      decision = decide(file, rows, state);
      return decision.outcome === 'valid' ? decision.loans : undefined;
    });
  } else {
    decision = decide(file, rows, await book.read(file));
  }
  const journals = decision.loans.flatMap((loan) => loan.journals);
  return {
    ...facts,
    asOf,
    faults: decision.faults,
    outcome: importId === undefined ? decision.outcome : 'applied',
    newLoans: decision.loans.filter(({ isNew }) => isNew).length,
    journals: journals.length,
    postings: journals.reduce((sum, { postings }) => sum + postings.length, 0),
    changes: summarize(decision.changes),
    importId: importId ?? decision.importId,
  };
}

const NOTHING = { newLoans: 0, journals: 0, postings: 0, changes: [] };

interface Decision {
  readonly outcome: 'valid' | 'refused' | 'applied_before';
  readonly faults: readonly StatementFault[];
  readonly loans: readonly PlannedLoan[];
  readonly changes: readonly LoanChange[];
  readonly importId?: string;
}

const UNDECIDED = { faults: [], loans: [], changes: [] };

/** Decides, without side effects, what to post for a file without faults. */
function decide(file: StatementFile, rows: readonly StatementRow[], state: BookState): Decision {
  const { profile, asOf, fileSha256 } = file;
  const { appliedBefore, lastStatement, closedThrough } = state;
  if (appliedBefore !== undefined) {
    return { ...UNDECIDED, outcome: 'applied_before', importId: appliedBefore };
  }
  if (lastStatement !== undefined && asOf < lastStatement) {
    // Its amounts are cumulative: after a later statement they would count twice.
    const message = `a statement of ${lastStatement} is in the book; import older ones first`;
    return refused({ row: 0, column: '', code: 'out_of_order', message, value: asOf });
  }
  if (closedThrough !== undefined && asOf <= closedThrough) {
    const message = `the books are closed through ${closedThrough}`;
    return refused({ row: 0, column: '', code: 'period_closed', message, value: asOf });
  }
  const again = state.revertedBefore === 0 ? '' : `:${state.revertedBefore + 1}`;
  const keyPrefix = `${profile.name}:${asOf}:${fileSha256.slice(0, 16)}${again}`;
  const loans = rows.map((row) => {
    const loan = state.loans.get(row.loanNumber);
    const context = { asOf, keyPrefix };
    const terms = loan && planTerms(row, loan, context);
    const money = planLoan(row, loan ?? EMPTY_LOAN, context);
    const planned = terms ? [...money, terms] : money;
    const isNew = loan?.present !== true;
    const journals = isNew && planned.length === 0 ? [planBooking(row, context)] : planned;
    return { row, booked: loan !== undefined, isNew, journals };
  });
  const full = beyondRoom(loans, state.volumeMinor, profile);
  if (full !== undefined) return refused(full);
  const changes = rows.flatMap((row) => changesOf(row, state.loans.get(row.loanNumber), profile));
  const all = [...changes, ...vanished(rows, state.loans)];
  return { outcome: 'valid', faults: [], loans, changes: all };
}

function refused(fault: StatementFault): Decision {
  return { ...UNDECIDED, outcome: 'refused', faults: [fault] };
}

function grossOf(rows: readonly StatementRow[]): bigint {
  return rows.reduce(
    (sum, { amounts }) =>
      AMOUNT_FIELDS.reduce((all, name) => all + magnitudeOf(amounts[name]), sum),
    0n,
  );
}

/** The first row whose postings the book has no room for, at the largest of its amounts. */
function beyondRoom(
  loans: readonly PlannedLoan[],
  volumeMinor: bigint,
  { currency }: ImportProfile,
): StatementFault | undefined {
  let volume = volumeMinor;
  for (const { row, journals } of loans) {
    for (const { postings } of journals) {
      for (const { amountMinor } of postings) volume += magnitudeOf(amountMinor);
    }
    if (volume <= BOOK_MAX_MINOR) continue;
    const size = (name: AmountField) => magnitudeOf(row.amounts[name]);
    const column = AMOUNT_FIELDS.reduce((one, other) => (size(other) > size(one) ? other : one));
    const value = formatAmount(row.amounts[column], minorUnitDigits(currency) ?? 2);
    const message = roomExpected(currency);
    return { row: row.row, column, code: 'amount_too_large', message, value };
  }
  return undefined;
}

function summarize(changes: readonly LoanChange[]): readonly ChangeSummary[] {
  return (Object.keys(CHANGE_RULES) as ChangeKind[]).flatMap((kind) => {
    const some = changes.filter((change) => change.kind === kind);
    if (some.length === 0) return [];
    const loans = new Set(some.map(({ loan }) => loan)).size;
    const told = some.map(({ kind: _, ...change }) => change);
    return [{ kind, rule: CHANGE_RULES[kind], loans, changes: told }];
  });
}

function sumColumns(
  rows: readonly StatementRow[],
  profile: ImportProfile,
): Record<AmountField, string> {
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
  profile: ImportProfile,
): readonly StatementFault[] {
  const digits = minorUnitDigits(profile.currency) ?? 2;
  const faults: StatementFault[] = [];
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
