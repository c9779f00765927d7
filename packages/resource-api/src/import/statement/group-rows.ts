/** From rows to deals with their facilities, drawings and lenders. Pure. */
import { groupBy } from '@cls/shared/group-by';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount } from '../../ledger/money.ts';
import { AMOUNT_FIELDS, type AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { combine, inProportion, type Legs, NO_LEGS, totalOf } from './legs.ts';
import { duplicate } from './loan-numbers.ts';
import type { Report } from './report.ts';
import { type LenderShare, type Shares, shareKey, weightsOf } from './shares.ts';
import type {
  Cumulative,
  Holder,
  StatedCommitment,
  StatedDeal,
  StatedDrawing,
  StatedFacility,
} from './stated-deal.ts';
import type { StatementRow } from './statement-row.ts';

/** Whether several rows can make one deal, so that deals are known when all rows are read. */
export function groupsRows({ columns, rowIs }: ImportProfile): boolean {
  return (
    rowIs === 'lender' || columns.dealNumber !== undefined || columns.facilityNumber !== undefined
  );
}

/** The deals of these rows. What rows of one deal, facility or loan contradict is a fault. */
export function groupRows(
  rows: readonly StatementRow[],
  profile: ImportProfile,
  shares: Shares,
  report: Report,
): readonly StatedDeal[] {
  const deals = groupBy(rows, ({ dealNumber }) => dealNumber);
  return [...deals.values()].map((of) => dealOf(of, { profile, shares, report }));
}

interface Grouping {
  readonly profile: ImportProfile;
  readonly shares: Shares;
  readonly report: Report;
}

function dealOf(rows: readonly StatementRow[], grouping: Grouping): StatedDeal {
  const [first] = rows as [StatementRow];
  const facilities = groupBy(rows, ({ facilityNumber }) => facilityNumber);
  agree(rows, grouping.report, 'borrower', ({ borrower }) => borrower?.ref ?? '');
  return {
    row: first.row,
    number: first.dealNumber,
    name: first.dealName,
    status: leading(rows.map(({ statuses }) => statuses[0])),
    closingDate: first.dates.closingDate,
    country: first.country,
    borrower: first.borrower,
    unnamedBorrower: first.unnamedBorrower,
    guarantor: first.guarantor,
    agent: first.agent,
    facilities: [...facilities.values()].map((of) => facilityOf(of, grouping)),
  };
}

/** The status of a whole, of those of its parts: the liveliest. */
function leading(statuses: readonly string[]): string {
  return STATUSES.find((status) => statuses.includes(status)) ?? statuses[0] ?? '';
}

const STATUSES = ['active', 'pending', 'matured', 'terminated'];

function facilityOf(rows: readonly StatementRow[], grouping: Grouping): StatedFacility {
  const [first] = rows as [StatementRow];
  const { profile, report } = grouping;
  const { currency } = first;
  agree(rows, report, 'currency', (row) => row.currency);
  agree(rows, report, 'loanType', ({ facilityType }) => facilityType);
  const loans = [...groupBy(rows, ({ loanNumber }) => loanNumber).values()];
  for (const parts of loans) checkParts(parts, profile, report);
  const weights = weightsOfFacility(rows, loans, grouping);
  const holders = holdersOf(rows, grouping, weights);
  const record = holders[0]?.ref ?? '';
  const spread: Spread = { profile, weights, record };
  return {
    row: first.row,
    number: first.facilityNumber,
    name: first.facilityName,
    type: first.facilityType,
    currency,
    status: leading(rows.map(({ statuses }) => statuses[1])),
    effectiveDate: first.dates.effectiveDate,
    maturityDate: latest(rows),
    commitment: commitmentOf(rows, loans, spread, report),
    drawings: loans.flatMap((parts) => drawingOf(parts, spread) ?? []),
    holders,
  };
}

function latest(rows: readonly StatementRow[]) {
  const dates = rows.flatMap(({ dates }) => dates.maturityDate ?? []);
  return dates.sort().at(-1);
}

/** Rows of one loan are the parts of its lenders; otherwise each loan has one row. */
function checkParts(parts: readonly StatementRow[], profile: ImportProfile, report: Report) {
  const { rowIs, shareUnit, columns } = profile;
  const [first, ...others] = parts as [StatementRow, ...StatementRow[]];
  if (first.loanNumber === undefined) return;
  if (rowIs === 'lender') {
    if (shareUnit !== undefined)
      for (const row of others) checkSameAmounts(first, row, profile, report);
    return;
  }
  const column = (columns.loanNumber ?? columns.facilityNumber)?.[0] ?? 'loan number';
  for (const { row, loanNumber = '' } of others) {
    report.fault(row, column, 'duplicate_loan', duplicate(first.row), loanNumber);
  }
}

/** Each row of a lender with a share states the whole loan, which has one amount. */
function checkSameAmounts(
  first: StatementRow,
  { row, amounts, currency }: StatementRow,
  { columns }: ImportProfile,
  report: Report,
): void {
  const shown = (amount = 0n) => formatAmount(amount, minorUnitDigits(currency) ?? 2);
  for (const field of AMOUNT_FIELDS) {
    if (columns[field] === undefined || amounts[field] === first.amounts[field]) continue;
    const message =
      `expected ${shown(first.amounts[field])}, as row ${first.row} states for the same loan; if each ` +
      'row has the amount of its lender, declare no shareUnit and no column for lenderShare';
    report.fault(
      row,
      columns[field]?.[0] ?? field,
      'differs_in_loan',
      message,
      shown(amounts[field]),
    );
  }
}

/** How amounts of a whole are spread over holders. */
interface Spread {
  readonly profile: ImportProfile;
  /** Undefined where the rows have each lender's own amounts, or one lender has all. */
  readonly weights: Legs | undefined;
  readonly record: string;
}

function weightsOfFacility(
  rows: readonly StatementRow[],
  loans: readonly (readonly StatementRow[])[],
  { profile, shares, report }: Grouping,
): Legs | undefined {
  const { rowIs, shareUnit, shares: second } = profile;
  const [first] = rows as [StatementRow];
  const unit = second?.unit ?? shareUnit;
  if (unit === undefined) return undefined;
  const wholes = [sumOver(loans, 'due'), amountOf(rows, loans, 'limit', profile) ?? -1n];
  const check = (list: readonly LenderShare[]): Legs | undefined => {
    const weights = weightsOf(
      list,
      unit,
      first.currency,
      wholes.filter((whole) => whole >= 0n),
    );
    if (typeof weights !== 'string') return weights;
    const row = list.at(-1)?.row ?? first.row;
    const column = profile.columns.lenderShare?.[0] ?? 'shares: share';
    report.fault(row, column, 'shares_do_not_add_up', weights, shareName(first));
    return undefined;
  };
  if (second !== undefined) {
    const keys = [
      shareKey(first.dealNumber, first.facilityNumber),
      shareKey(first.facilityNumber ?? first.loanNumber ?? first.dealNumber),
      shareKey(first.dealNumber),
    ];
    const list = keys.map((key) => shares.get(key)).find((found) => found !== undefined);
    return list && check(list);
  }
  if (rowIs !== 'lender') return undefined;
  const [parts = []] = loans;
  return check(
    parts.flatMap(({ row, lender, share }) =>
      lender === undefined || share === undefined ? [] : [{ row, lender, share }],
    ),
  );
}

function shareName({ dealNumber, facilityNumber }: StatementRow): string {
  return shareKey(dealNumber, facilityNumber);
}

function holdersOf(
  rows: readonly StatementRow[],
  { profile, shares }: Grouping,
  weights: Legs | undefined,
): readonly Holder[] {
  const { lender, participants, rowIs } = profile;
  const own = { ref: lender.externalId, name: lender.name, countryCode: '' };
  if (rowIs === 'lender') {
    const lenders = new Map(
      rows.flatMap(({ lender: one }) => (one ? [[one.ref, one] as const] : [])),
    );
    return [...lenders.values()].map((one) => ({ ...one, kind: 'assignment' }));
  }
  if (weights !== undefined) {
    const named = new Map(
      [...shares.values()].flat().map(({ lender: one }) => [one.ref, one] as const),
    );
    return [...weights.keys()].flatMap((ref) => {
      const one = named.get(ref);
      return one === undefined ? [] : [{ ...one, kind: 'assignment' as const }];
    });
  }
  const sold = participants && {
    ref: participants.externalId,
    name: participants.name,
    countryCode: '',
  };
  return [
    { ...own, kind: 'assignment' },
    ...(sold ? [{ ...sold, kind: 'participation' as const }] : []),
  ];
}

function drawingOf(parts: readonly StatementRow[], spread: Spread): StatedDrawing | undefined {
  const [first] = parts as [StatementRow];
  const { loanNumber } = first;
  if (loanNumber === undefined) return undefined;
  const exchange = amountOfParts(parts, 'exchangeAdjustment', spread.profile);
  return {
    row: first.row,
    number: loanNumber,
    status: first.statuses[2],
    effectiveDate: first.dates.effectiveDate,
    maturityDate: first.dates.maturityDate,
    allInRate: first.allInRate,
    due: principalOf(parts, spread),
    cumulative: cumulativeOf(parts, spread),
    exchangeAdjustment: exchange,
  };
}

/** What the lender of record holds, with what it sold to participants. */
function principalOf(parts: readonly StatementRow[], spread: Spread): Legs {
  const own = legsOf(parts, 'due', spread);
  const { participants } = spread.profile;
  const sold = amountOfParts(parts, 'dueThirdParty', spread.profile);
  if (participants === undefined || sold === undefined) return own;
  return combine([1n, own], [1n, new Map([[participants.externalId, sold]])]);
}

function cumulativeOf(parts: readonly StatementRow[], spread: Spread): Cumulative | undefined {
  const { participants } = spread.profile;
  const of = (field: AmountField) => amountOfParts(parts, field, spread.profile);
  if (of('disbursed') === undefined || of('repaid') === undefined) return undefined;
  const disbursed = legsOf(parts, 'disbursed', spread);
  const repaid = legsOf(parts, 'repaid', spread);
  if (participants === undefined) {
    const single = spread.weights === undefined && parts.length === 1;
    return { disbursed, repaid, transferred: single ? NO_LEGS : undefined };
  }
  const sold = of('sold') ?? 0n;
  const third = participants.externalId;
  return {
    disbursed,
    repaid: combine([1n, repaid], [1n, new Map([[third, of('repaidThirdParty') ?? 0n]])]),
    transferred: new Map([
      [spread.record, -sold],
      [third, sold],
    ]),
  };
}

/** An amount of a loan by holder. */
function legsOf(parts: readonly StatementRow[], field: AmountField, spread: Spread): Legs {
  const { profile, weights, record } = spread;
  const whole = amountOfParts(parts, field, profile) ?? 0n;
  if (weights !== undefined) return inProportion(whole, weights);
  if (profile.rowIs !== 'lender') return new Map([[record, whole]]);
  return combine(
    ...parts.map(
      ({ lender, amounts }) =>
        [1n, new Map([[lender?.ref ?? record, amounts[field] ?? 0n]])] as const,
    ),
  );
}

/** An amount of a loan: of its row, or of its lenders together where their rows have their own. */
function amountOfParts(
  parts: readonly StatementRow[],
  field: AmountField,
  { rowIs, shareUnit }: ImportProfile,
): bigint | undefined {
  const amounts = parts.map(({ amounts }) => amounts[field]);
  if (amounts.every((amount) => amount === undefined)) return undefined;
  if (rowIs !== 'lender' || shareUnit !== undefined) return amounts[0];
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
}

function sumOver(loans: readonly (readonly StatementRow[])[], field: AmountField): bigint {
  return loans.reduce((sum, [first]) => sum + (first?.amounts[field] ?? 0n), 0n);
}

/** An amount of a facility: stated by each of its rows, or in parts. */
function amountOf(
  rows: readonly StatementRow[],
  loans: readonly (readonly StatementRow[])[],
  field: AmountField,
  profile: ImportProfile,
): bigint | undefined {
  const amounts = loans.map((parts) => amountOfParts(parts, field, profile));
  if (amounts.every((amount) => amount === undefined) || rows.length === 0) return undefined;
  if (profile.facilityAmounts !== 'split') return amounts[0];
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
}

function commitmentOf(
  rows: readonly StatementRow[],
  loans: readonly (readonly StatementRow[])[],
  spread: Spread,
  report: Report,
): StatedCommitment {
  const { profile } = spread;
  const of = (field: AmountField) => amountOf(rows, loans, field, profile);
  for (const field of ['limit', 'undisbursed', 'originalPrincipal', 'cancelled'] as const) {
    if (profile.facilityAmounts !== 'split') checkRepeated(loans, field, profile, report);
  }
  const legs = (whole: bigint | undefined, field: AmountField): Legs | undefined => {
    if (whole === undefined) return undefined;
    if (spread.weights !== undefined) return inProportion(whole, spread.weights);
    if (profile.rowIs !== 'lender') return new Map([[spread.record, whole]]);
    const parts = profile.facilityAmounts === 'split' ? rows : (loans[0] ?? []);
    return legsOf(parts, field, spread);
  };
  const [original, cancelled, limit] = [of('originalPrincipal'), of('cancelled'), of('limit')];
  const undrawn = of('undisbursed');
  if (original !== undefined && cancelled !== undefined) {
    return {
      original: legs(original, 'originalPrincipal'),
      cancelled: legs(cancelled, 'cancelled'),
      current: undefined,
      undrawn,
    };
  }
  if (limit !== undefined) {
    const current = legs(limit, 'limit');
    return { original: undefined, cancelled: undefined, current, undrawn };
  }
  const stated = legs(original, 'originalPrincipal');
  return { original: stated, cancelled: undefined, current: undefined, undrawn };
}

/** Rows of a facility that state amounts of the whole facility must state the same. */
function checkRepeated(
  loans: readonly (readonly StatementRow[])[],
  field: AmountField,
  profile: ImportProfile,
  report: Report,
): void {
  const [first, ...others] = loans;
  if (first?.[0] === undefined || profile.columns[field] === undefined) return;
  const whole = amountOfParts(first, field, profile);
  for (const parts of others) {
    const amount = amountOfParts(parts, field, profile);
    const [row] = parts;
    if (row === undefined || amount === whole) continue;
    const digits = minorUnitDigits(row.currency) ?? 2;
    const shown = formatAmount(whole ?? 0n, digits);
    const message =
      `expected ${shown}, as row ${first[0].row} states for the same facility; ` +
      'if each row has its own part, declare facilityAmounts: split';
    const value = formatAmount(amount ?? 0n, digits);
    const column = profile.columns[field]?.[0] ?? field;
    report.fault(row.row, column, 'differs_in_facility', message, value);
  }
}

function agree(
  rows: readonly StatementRow[],
  report: Report,
  column: string,
  keyOf: (row: StatementRow) => string,
): void {
  const [first, ...others] = rows as [StatementRow, ...StatementRow[]];
  for (const row of others) {
    if (keyOf(row) === keyOf(first)) continue;
    const message = `expected the same as in row ${first.row}, which is of the same deal or facility`;
    report.fault(row.row, column, 'differs_in_deal', message, keyOf(row));
  }
}

/** The sum of what a statement's facility owes, for reports. */
export function outstandingOf({ drawings }: StatedFacility): bigint {
  return drawings.reduce((sum, { due }) => sum + totalOf(due), 0n);
}
