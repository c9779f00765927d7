import { groupBy } from '@cls/shared/group-by';
import { formatMoney } from '../../ledger/money.ts';
import { percentOf } from '../../ledger/rate.ts';
import { type AmountField, type DateField, type Field, SOLD } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import {
  amountsOf,
  checkDerived,
  checkRepeated,
  commitmentOf,
  hasOwnAmounts,
  partsOf,
  type Spread,
  type Whole,
} from './facility-amounts.ts';
import { Identities } from './identities.ts';
import { combine, inProportion, type Legs, sumOfLegs, totalOf } from './legs.ts';
import { duplicate } from './loan-numbers.ts';
import type { Report } from './report.ts';
import { type LenderShare, type Shares, shareKey, weightsOf } from './shares.ts';
import {
  type Cumulative,
  facilityRef,
  type Holder,
  type StatedDeal,
  type StatedDrawing,
  type StatedFacility,
  type StatedParty,
} from './stated-deal.ts';
import { NUMBERED, ownParty } from './stated-party.ts';
import type { StatementRow } from './statement-row.ts';

/** Whether several rows can make one deal. */
export function groupsRows({ columns, rowIs, shares }: ImportProfile): boolean {
  const numbered = columns.dealNumber !== undefined || columns.facilityNumber !== undefined;
  return rowIs === 'lender' || numbered || shares !== undefined;
}

/** Makes deals of the rows of one file. What rows of one deal, facility or loan contradict is a fault. */
export class Grouping {
  readonly profile: ImportProfile;
  readonly shares: Shares;
  readonly report: Report;
  readonly identities: Identities;
  /** Shares that no facility has taken yet. */
  readonly unused: Map<string, readonly LenderShare[]>;
  /** Rows of deals and facilities by what the source calls them. */
  readonly #refs = new Map<string, number>();

  constructor(profile: ImportProfile, shares: Shares, report: Report) {
    this.profile = profile;
    this.shares = shares;
    this.report = report;
    this.identities = new Identities(profile, 'facilities', report);
    this.unused = new Map(shares);
  }

  /** @param rows all that the file has of each of their deals. */
  deals(rows: readonly StatementRow[]): readonly StatedDeal[] {
    const byNumber = groupBy(rows, ({ dealNumber }) => dealNumber);
    const deals = [...byNumber.values()].map((of) => dealOf(of, this));
    if (this.profile.columns.dealNumber !== undefined) {
      for (const deal of deals) this.#checkRefs(deal);
    }
    return deals;
  }

  end(): void {
    for (const [key, [first]] of this.unused) {
      const message = 'no facility of the statement is called so: this share is of nothing';
      this.report.warn(first?.row ?? 0, 'shares', 'unused_share', message, key);
    }
  }

  /** Numbers with a slash may make the same name of two: `A/B` and `C` of `A` and `B/C`. */
  #checkRefs(deal: StatedDeal): void {
    const named = deal.facilities.filter(({ number }) => number !== undefined);
    const refs = named.map((one) => [facilityRef(deal.number, one), one.row] as const);
    for (const [ref, row] of [[deal.number, deal.row] as const, ...refs]) {
      const before = this.#refs.get(ref);
      this.#refs.set(ref, row);
      if (before === undefined) continue;
      const message = `expected another number: deal and facility together are what row ${before} has`;
      this.report.fault(row, 'facility number', 'same_reference', message, ref);
    }
  }
}

function dealOf(rows: readonly StatementRow[], grouping: Grouping): StatedDeal {
  const [first] = rows as [StatementRow];
  const facilities = groupBy(rows, ({ facilityNumber }) => facilityNumber);
  checkFacts(rows, 'deal', grouping);
  const { row, country, borrower, unnamedBorrower, guarantor, agent } = first;
  return {
    ...{ row, country, borrower, unnamedBorrower, guarantor, agent },
    number: first.dealNumber,
    name: first.dealName,
    status: leading(rows.map(({ statuses }) => statuses[0])),
    closingDate: first.dates.closingDate,
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
  const { profile, report, identities } = grouping;
  const { currency } = first;
  checkFacts(rows, 'facility', grouping);
  const loans = [...groupBy(rows, ({ loanNumber }) => loanNumber).values()];
  for (const of of loans) checkLoan(of, grouping);
  const weights = weightsOfFacility(rows, loans, grouping);
  if (profile.rowIs === 'lender' || weights !== undefined) checkNothingSold(rows, grouping);
  const holders = holdersOf(rows, grouping, weights);
  const starts = rows.flatMap(({ dates }) => dates.effectiveDate ?? []);
  const maturities = rows.flatMap(({ dates }) => dates.maturityDate ?? []);
  const spread: Spread = { profile, weights, record: holders[0]?.ref ?? '' };
  const parts = partsOf(rows, loans, spread);
  for (const of of parts.values()) {
    if (profile.facilityAmounts !== 'split') {
      // A loan that a lender has twice is refused for that alone.
      const onePerLoan = new Map(of.map((row) => [row.loanNumber, row]));
      checkRepeated([...onePerLoan.values()], 'facility', profile, report);
      checkDerived(of, profile, report);
    }
    identities.check(of[0]?.row ?? first.row, amountsOf(of, profile), currency);
  }
  return {
    row: first.row,
    number: first.facilityNumber,
    name: first.facilityName,
    type: first.facilityType,
    currency,
    status: leading(rows.map(({ statuses }) => statuses[1])),
    effectiveDate: starts.sort()[0],
    maturityDate: maturities.sort().at(-1),
    commitment: commitmentOf(parts, spread),
    drawings: loans.flatMap((of) => drawingOf(of, spread) ?? []),
    holders,
  };
}

/** Rows of one loan are the parts of its lenders; otherwise each loan has one row. */
function checkLoan(rows: readonly StatementRow[], grouping: Grouping): void {
  const { profile, report } = grouping;
  const { columns } = profile;
  if (profile.rowIs === 'lender') checkFacts(rows, 'loan', grouping);
  const seen = new Map<string, number>();
  for (const { row, loanNumber, lender, amounts } of rows) {
    if (loanNumber === undefined && amounts.due !== undefined && amounts.due !== 0n) {
      const message = 'expected a loan number, because the row has a balance';
      report.fault(row, 'loan number', 'missing_value', message, '');
    }
    const part = profile.rowIs === 'lender' ? (lender?.ref ?? '') : '';
    const before = seen.get(part);
    seen.set(part, row);
    // A lender with two shares is told where shares are added up.
    if (before === undefined || profile.shareUnit !== undefined) continue;
    const column = (columns.loanNumber ?? columns.facilityNumber)?.[0] ?? 'loan number';
    const value = loanNumber ?? lender?.name ?? '';
    const isPart = part !== '';
    const message = isPart
      ? `${lender?.name} has this loan also in row ${before}; expected one row for each lender: add the two up, or take one out`
      : duplicate(before);
    report.fault(row, column, 'duplicate_loan', message, value);
  }
  if (profile.shareUnit !== undefined) checkRepeated(rows, 'loan', profile, report);
}

/** Participants have their part of what one lender holds: beside several lenders nobody would have it. */
function checkNothingSold(rows: readonly StatementRow[], { profile, report }: Grouping): void {
  for (const { row, amounts, currency } of rows) {
    const field = SOLD.find((one) => (amounts[one] ?? 0n) !== 0n);
    if (field === undefined) continue;
    const message =
      'expected nothing sold, because the lenders of this facility hold all of it: name who bought a part as one of them';
    const value = formatMoney(amounts[field] ?? 0n, currency);
    report.fault(row, profile.columns[field]?.[0] ?? field, 'sold_by_lenders', message, value);
  }
}

function weightsOfFacility(
  rows: readonly StatementRow[],
  loans: readonly (readonly StatementRow[])[],
  grouping: Grouping,
): Legs | undefined {
  const { profile, report } = grouping;
  const { rowIs, shareUnit, shares: second } = profile;
  const [first] = rows as [StatementRow];
  const { currency } = first;
  const unit = second?.unit ?? shareUnit;
  if (unit === undefined) return undefined;
  const whole = amountsOf(
    loans.flatMap(([one]) => one ?? []),
    profile,
  );
  if (second === undefined && rowIs !== 'lender') return undefined;
  const [parts = [], ...others] = loans;
  if (second === undefined) for (const of of others) checkSameShares(parts, of, report);
  if (second !== undefined) checkSameLists(rows, grouping);
  const list = second === undefined ? sharesIn(parts) : sharesOf(named(rows), grouping);
  if (list === undefined) return undefined;
  const wholes = [whole.due ?? 0n, whole.limit];
  const weighed = weightsOf(list, unit, currency, wholes, profile);
  const row = list.at(-1)?.row ?? first.row;
  const column = profile.columns.lenderShare?.[0] ?? 'shares: share';
  const name = shareKey(first.dealNumber, first.facilityNumber);
  if ('fault' in weighed) {
    report.fault(row, column, 'shares_do_not_add_up', weighed.fault, name);
    return undefined;
  }
  if (weighed.gap !== undefined) {
    const message = `the shares come to ${weighed.gap}, within shareTolerance; amounts are split in proportion to them`;
    report.warn(row, column, 'shares_rounded', message, name);
  }
  return weighed.weights;
}

function sharesIn(rows: readonly StatementRow[]): readonly LenderShare[] {
  return rows.flatMap(({ row, lender, share }) =>
    lender === undefined || share === undefined ? [] : [{ row, lender, share }],
  );
}

/** The row under whose numbers a facility has its shares: a row of which nothing is drawn names no loan. */
function named(rows: readonly StatementRow[]): StatementRow {
  return rows.find(({ loanNumber }) => loanNumber !== undefined) ?? (rows[0] as StatementRow);
}

function sharesOfRow(row: number | undefined): string {
  return (
    `expected the shares of the loan of row ${row}, which is of the same facility; ` +
    'where they differ, state each lender’s own amounts'
  );
}

/** A second file that has shares by loan must have the same for all loans of a facility. */
function checkSameLists(rows: readonly StatementRow[], grouping: Grouping): void {
  const { row: firstRow } = named(rows);
  const told = (row: StatementRow) =>
    JSON.stringify(
      sharesOf(row, grouping)
        ?.map(({ lender, share }) => [lender.ref, `${share}`])
        .sort(),
    );
  const expected = told(named(rows));
  for (const row of rows.filter(({ loanNumber }) => loanNumber !== undefined)) {
    if (told(row) === expected) continue;
    grouping.report.fault(
      row.row,
      'shares',
      'shares_differ',
      sharesOfRow(firstRow),
      row.loanNumber ?? '',
    );
  }
}

/** What the second file says of a facility: under its deal, alone, or for all of its deal. */
function sharesOf(
  { dealNumber, facilityNumber, loanNumber }: StatementRow,
  { shares, unused }: Grouping,
): readonly LenderShare[] | undefined {
  const key = [
    shareKey(dealNumber, facilityNumber),
    shareKey(facilityNumber ?? loanNumber ?? dealNumber),
    shareKey(dealNumber),
  ].find((one) => shares.has(one));
  if (key === undefined) return undefined;
  unused.delete(key);
  return shares.get(key);
}

/** Lenders have one share of a facility, of whichever loan a row is. */
function checkSameShares(
  [first, ...more]: readonly StatementRow[],
  others: readonly StatementRow[],
  report: Report,
): void {
  const shareOf = new Map([first, ...more].map((one) => [one?.lender?.ref, one?.share]));
  const lenders = new Set(others.map(({ lender }) => lender?.ref));
  const areAsMany = others.length === shareOf.size && lenders.size === shareOf.size;
  for (const { row, lender, share } of others) {
    if (shareOf.get(lender?.ref) === share && areAsMany) continue;
    const message = sharesOfRow(first?.row);
    report.fault(row, 'lenders’ shares', 'shares_differ', message, lender?.name ?? '');
  }
}

function holdersOf(
  rows: readonly StatementRow[],
  grouping: Grouping,
  weights: Legs | undefined,
): readonly Holder[] {
  const { lender, participants, rowIs } = grouping.profile;
  const assigned = (party: StatedParty): Holder => ({ ...party, kind: 'assignment' });
  if (rowIs === 'lender') {
    const lenders = rows.flatMap((row) =>
      row.lender ? [[row.lender.ref, row.lender] as const] : [],
    );
    return [...new Map(lenders).values()].map(assigned);
  }
  if (weights !== undefined) {
    const shares = sharesOf(named(rows), grouping) ?? [];
    return shares.map((share) => assigned(share.lender));
  }
  const sold = participants ? [{ ...ownParty(participants), kind: 'participation' as const }] : [];
  return [assigned(ownParty(lender)), ...sold];
}

function drawingOf(parts: readonly StatementRow[], spread: Spread): StatedDrawing | undefined {
  const [first] = parts as [StatementRow];
  const { loanNumber } = first;
  if (loanNumber === undefined) return undefined;
  const date = (field: DateField) => parts.find(({ dates }) => dates[field])?.dates[field];
  return {
    row: first.row,
    number: loanNumber,
    status: first.statuses[2],
    effectiveDate: date('effectiveDate'),
    maturityDate: date('maturityDate'),
    allInRate: parts.find(({ allInRate }) => allInRate)?.allInRate,
    due: principalOf(parts, spread),
    cumulative: cumulativeOf(parts, spread),
    exchangeAdjustment: amountOfParts(parts, 'exchangeAdjustment', spread.profile),
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
  // A single lender too may have bought what others held before.
  if (participants === undefined) return { disbursed, repaid, transferred: undefined };
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

function legsOf(parts: readonly StatementRow[], field: AmountField, spread: Spread): Legs {
  const { profile, weights, record } = spread;
  const whole = amountOfParts(parts, field, profile) ?? 0n;
  if (weights !== undefined) return inProportion(whole, weights);
  if (!hasOwnAmounts(profile)) return new Map([[record, whole]]);
  return sumOfLegs(
    parts.map(({ lender, amounts }) => [lender?.ref ?? record, amounts[field] ?? 0n]),
  );
}

/** An amount of a loan: of its row, or of its lenders together where their rows have their own. */
function amountOfParts(
  parts: readonly StatementRow[],
  field: AmountField,
  profile: ImportProfile,
): bigint | undefined {
  const amounts = parts.map(({ amounts }) => amounts[field]);
  if (amounts.every((amount) => amount === undefined)) return undefined;
  if (!hasOwnAmounts(profile)) return amounts[0];
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
}

interface Fact {
  /** Whose columns have it. */
  readonly fields: readonly Field[];
  /** Undefined where a row that says nothing contradicts nothing. */
  readonly of: (row: StatementRow) => string | undefined;
  /** The value that a message quotes, where another one is compared. */
  readonly shown?: (row: StatementRow) => string | undefined;
  /** Parts may differ in it, and those of the first row count: a warning, and no fault. */
  readonly mayDiffer?: true;
}

/** What rows say of a whole beside its amounts, and must say alike. */
const FACTS: Readonly<Record<'deal' | Whole, readonly Fact[]>> = {
  deal: [
    {
      fields: ['borrower', 'borrowerNumber'],
      of: ({ borrower }) => borrower?.ref ?? '',
      shown: ({ borrower }) => borrower && borrowerText(borrower),
    },
    { fields: ['dealName'], of: ({ dealName }) => dealName ?? '', mayDiffer: true },
    { fields: ['countryCode', 'country'], of: ({ country }) => country, mayDiffer: true },
    { fields: ['guarantor'], of: ({ guarantor }) => guarantor?.name ?? '', mayDiffer: true },
    { fields: ['agent'], of: ({ agent }) => agent?.name ?? '', mayDiffer: true },
    { fields: ['closingDate'], of: ({ dates }) => dates.closingDate, mayDiffer: true },
  ],
  facility: [
    { fields: ['currency'], of: ({ currency }) => currency },
    { fields: ['loanType'], of: ({ facilityType }) => facilityType },
    { fields: ['facilityName'], of: ({ facilityName }) => facilityName ?? '', mayDiffer: true },
  ],
  loan: [
    { fields: ['status'], of: ({ statuses }) => statuses.join('/') },
    { fields: ['effectiveDate'], of: ({ dates }) => dates.effectiveDate },
    { fields: ['maturityDate'], of: ({ dates }) => dates.maturityDate },
    {
      fields: ['rate', 'ratePercent'],
      of: ({ allInRate }) => allInRate,
      shown: ({ allInRate }) => allInRate && `${percentOf(allInRate)} %`,
    },
  ],
};

/** With what tells two of one name apart: the sender's number, or the country. */
function borrowerText({ ref, name, countryCode }: StatedParty): string {
  const which = ref.startsWith(NUMBERED) ? ref.slice(NUMBERED.length) : countryCode;
  return which === '' ? name : `${name} (${which})`;
}

/** Rows of one deal, facility or loan must not contradict each other. */
function checkFacts(
  rows: readonly StatementRow[],
  whole: keyof typeof FACTS,
  { profile, report }: Grouping,
): void {
  for (const { fields, of, shown = of, mayDiffer } of FACTS[whole]) {
    const [column] = fields.flatMap((field) => profile.columns[field]?.[0] ?? []);
    const [first, ...others] = rows.filter((row) => of(row) !== undefined);
    if (column === undefined || first === undefined) continue;
    for (const row of others.filter((other) => of(other) !== of(first))) {
      const [stated, value] = [shown(first) || 'nothing', shown(row) ?? ''];
      const code = `differs_in_${whole}`;
      if (mayDiffer) {
        const message = `row ${first.row} of the same ${whole} says ${stated}, which counts`;
        report.warn(row.row, column, code, message, value);
      } else {
        const message = `expected ${stated}, as in row ${first.row}, which is of the same ${whole}`;
        report.fault(row.row, column, code, message, value);
      }
    }
  }
}

/** The sum of what a statement's facility owes, for reports. */
export function outstandingOf({ drawings }: StatedFacility): bigint {
  return drawings.reduce((sum, { due }) => sum + totalOf(due), 0n);
}
