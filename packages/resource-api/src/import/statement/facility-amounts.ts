import { groupBy } from '@cls/shared/group-by';
import { formatMoney } from '../../ledger/money.ts';
import { type Amounts, sumFor, sumOf, termsOf } from '../profile/derivation.ts';
import { AMOUNT_FIELDS, type AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { inProportion, type Legs } from './legs.ts';
import type { Report } from './report.ts';
import type { StatedCommitment } from './stated-deal.ts';
import type { StatementRow } from './statement-row.ts';

const OF_FACILITY: readonly AmountField[] = [
  'limit',
  'originalPrincipal',
  'cancelled',
  'undisbursed',
];

/** Whether each row of a lender has that lender’s own amounts. */
export function hasOwnAmounts({ rowIs, shareUnit }: ImportProfile): boolean {
  return rowIs === 'lender' && shareUnit === undefined;
}

/** What several rows may repeat an amount of. */
export type Whole = 'facility' | 'loan';

/** What the amounts of a field are of; undefined where each row has its own. */
export function wholeOf(field: AmountField, profile: ImportProfile): Whole | undefined {
  const { columns, rowIs, shareUnit, facilityAmounts } = profile;
  const hasFacilities = columns.dealNumber !== undefined || columns.facilityNumber !== undefined;
  if (hasFacilities && facilityAmounts !== 'split' && OF_FACILITY.includes(field))
    return 'facility';
  return rowIs === 'lender' && shareUnit !== undefined ? 'loan' : undefined;
}

/** Names the whole of a row: rows of the same name repeat its amounts. */
export function nameOfWhole(
  whole: Whole,
  { dealNumber, facilityNumber = '', loanNumber = '', lender }: StatementRow,
  profile: ImportProfile,
): string {
  const holder = hasOwnAmounts(profile) ? (lender?.ref ?? '') : '';
  const part = whole === 'loan' ? loanNumber : holder;
  return JSON.stringify([whole, dealNumber, facilityNumber, part]);
}

/** How amounts of a whole are spread over holders. */
export interface Spread {
  readonly profile: ImportProfile;
  /** Undefined where the rows have each lender's own amounts, or one lender has all. */
  readonly weights: Legs | undefined;
  readonly record: string;
}

/** Rows of one facility that together state it: of each lender where rows have own amounts, else one of each loan. */
export function partsOf(
  rows: readonly StatementRow[],
  loans: readonly (readonly StatementRow[])[],
  { profile, record }: Spread,
): ReadonlyMap<string, readonly StatementRow[]> {
  if (hasOwnAmounts(profile)) return groupBy(rows, ({ lender }) => lender?.ref ?? record);
  return new Map([[record, loans.flatMap(([first]) => first ?? [])]]);
}

/** An amount of these rows together, each of which states another loan of the facility. */
export function amountOf(
  rows: readonly StatementRow[],
  field: AmountField,
  profile: ImportProfile,
): bigint | undefined {
  const [first] = rows;
  const stated = first?.amounts[field];
  if (stated === undefined) return undefined;
  if (profile.facilityAmounts === 'split' || !OF_FACILITY.includes(field)) {
    return rows.reduce((sum, { amounts }) => sum + (amounts[field] ?? 0n), 0n);
  }
  if (profile.columns[field] !== undefined || rows.length === 1) return stated;
  const derived = sumFor(profile.derive[field], first?.facilityType ?? '');
  if (derived === undefined) return stated;
  const terms = termsOf(derived);
  const amounts = terms.map((term) => [term.field, amountOf(rows, term.field, profile)] as const);
  return sumOf(terms, Object.fromEntries(amounts));
}

export function amountsOf(rows: readonly StatementRow[], profile: ImportProfile): Amounts {
  return Object.fromEntries(
    AMOUNT_FIELDS.flatMap((field) => {
      const amount = amountOf(rows, field, profile);
      return amount === undefined ? [] : [[field, amount]];
    }),
  );
}

export function commitmentOf(
  parts: ReadonlyMap<string, readonly StatementRow[]>,
  { profile, weights }: Spread,
): StatedCommitment {
  const of = (field: AmountField): Legs | undefined => {
    const legs = [...parts].flatMap(([holder, rows]) => {
      const amount = amountOf(rows, field, profile);
      return amount === undefined ? [] : [[holder, amount] as const];
    });
    const [first] = legs;
    if (first === undefined) return undefined;
    return weights === undefined ? new Map(legs) : inProportion(first[1], weights);
  };
  const [original, cancelled, limit] = [of('originalPrincipal'), of('cancelled'), of('limit')];
  const exact = original !== undefined && cancelled !== undefined;
  return {
    original: exact || limit === undefined ? original : undefined,
    cancelled: exact ? cancelled : undefined,
    current: exact ? undefined : limit,
    undrawn: of('undisbursed'),
    isApportioned: !hasOwnAmounts(profile),
  };
}

/** What rows of a whole state alike, and what to declare where each states its own part. */
const REPEATED: Readonly<Record<Whole, readonly [fields: readonly AmountField[], hint: string]>> = {
  facility: [OF_FACILITY, 'if each row has its own part, declare facilityAmounts: split'],
  loan: [
    AMOUNT_FIELDS,
    'if each row has the amount of its lender, declare no shareUnit and no column for lenderShare',
  ],
};

/** Rows that state amounts of a whole, or of a lender's part of it, must state the same. */
export function checkRepeated(
  [first, ...others]: readonly StatementRow[],
  whole: Whole,
  { columns }: ImportProfile,
  report: Report,
): void {
  if (first === undefined) return;
  const [fields, hint] = REPEATED[whole];
  for (const field of fields.filter((one) => columns[one] !== undefined)) {
    for (const { row, currency, amounts } of others) {
      const [expected = 0n, found = 0n] = [first.amounts[field], amounts[field]];
      if (found === expected) continue;
      const [wanted, value] = [formatMoney(expected, currency), formatMoney(found, currency)];
      const message = `expected ${wanted}, as row ${first.row} states for the same ${whole}; ${hint}`;
      report.fault(row, columns[field]?.[0] ?? field, `differs_in_${whole}`, message, value);
    }
  }
}

/** Amounts of each loan cannot follow from those of a facility that has several. */
export function checkDerived(
  [first, second]: readonly StatementRow[],
  { derive }: ImportProfile,
  report: Report,
): void {
  if (first === undefined || second === undefined) return;
  for (const [field, given] of Object.entries(derive)) {
    const sum = sumFor(given, first.facilityType) ?? '0';
    if (OF_FACILITY.includes(field as AmountField)) continue;
    if (!termsOf(sum).some((term) => OF_FACILITY.includes(term.field))) continue;
    const message = `expected a column, because ${sum} is of the whole facility, which has several loans`;
    report.fault(first.row, field, 'derived_from_facility', message, '');
  }
}

/** Whether an identity is of a facility, and not of each row of it. */
export function isOfFacility(
  fields: readonly AmountField[],
  { facilityAmounts, columns }: ImportProfile,
): boolean {
  const several = columns.facilityNumber !== undefined && columns.loanNumber !== undefined;
  return (
    several && facilityAmounts !== 'split' && fields.some((field) => OF_FACILITY.includes(field))
  );
}
