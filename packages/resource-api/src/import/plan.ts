/**
 * From a statement to journals, pure. A statement has cumulative amounts at a date; a journal has a
 * change. So the difference from the ledger is posted, dated by the statement.
 */

import { foldName } from '@cls/shared/text';
import type { TermsRecord } from '../journal-file/record.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { PARTY_REF } from '../ledger/external-id.ts';
import type { Journal, JournalType, LedgerAccount, Posting } from '../ledger/journal.ts';
import type { StatementRow } from './statement-row.ts';

/** A balance line of one loan: its facility or contract, and its holder. */
export interface LoanLine {
  readonly level: 'facility' | 'contract';
  readonly holder: 'global' | 'lender' | 'participants';
}

/** A loan that is not in the ledger. */
export const EMPTY_LOAN = {
  originalPrincipal: 0n,
  cancelled: 0n,
  unfunded: 0n,
  disbursed: 0n,
  /** Repaid to the lender, positive; below, to the participants. */
  repaid: 0n,
  repaidThirdParty: 0n,
  sold: 0n,
  due: 0n,
  dueThirdParty: 0n,
  exchangeAdjustment: 0n,
};
/** What the ledger has of a loan at the statement's date, in minor units. */
export type LoanState = Readonly<typeof EMPTY_LOAN>;

/** The terms of a loan in a statement, at the statement's date. */
export interface LoanTerms {
  /** Of deal, facility and contract. */
  readonly statuses: readonly [string, string, string];
  readonly maturityDate: string | null;
  /** A fraction with twelve decimals. */
  readonly allInRate: string | null;
}

/** A loan that the book has or had: records stay when the import that booked them is taken back. */
export interface KnownLoan extends LoanState {
  /** The book has it at the statement's date. */
  readonly present: boolean;
  readonly ids: { readonly deal: string; readonly facility: string; readonly contract: string };
  readonly terms: LoanTerms;
  /** Its names at the statement's date. */
  readonly details: KnownDetails;
  /** The type that was booked; a statement does not change it. */
  readonly facilityType: string;
}

export interface KnownDetails {
  readonly name: string;
  readonly facilityName: string;
  readonly borrower: KnownParty;
  readonly guarantor: KnownParty | null;
  readonly country: string;
}

export interface KnownParty {
  readonly id: string;
  readonly name: string;
  readonly country: string | null;
  /** The names that statements of the source used for it. */
  readonly refs: readonly string[];
}

/** The names of a loan after a statement: what the row states, and for the rest what is known. */
export interface LoanDetails extends Omit<KnownDetails, 'borrower' | 'guarantor'> {
  readonly borrower: LoanParty;
  readonly guarantor: LoanParty | undefined;
}

/** A party that the book has, or one as the statement names it. */
export type LoanParty = KnownParty | StatedParty;

export interface StatedParty {
  readonly name: string;
  /** Empty where the statement has none. */
  readonly countryCode: string;
}

/** A statement knows a party by its country and its name, in the form in which names are compared. */
export function partyRef({ name, countryCode }: StatedParty): string {
  return `${PARTY_REF}${countryCode}:${foldName(name)}`;
}

const REF = new RegExp(`^(${PARTY_REF}[A-Z0-9]*:)(.*)$`, 'su');

/** The same of a reference that has the name as it was written, as former releases kept it. */
export function foldRef(ref: string): string {
  return ref.replace(REF, (_, place: string, name: string) => `${place}${foldName(name)}`);
}

/**
 * An empty cell keeps what the book has at the statement's date. A loan that the book does not have
 * at the date is named by its number, and its borrower by the country.
 */
export function detailsOf(row: StatementRow, loan: KnownLoan | undefined): LoanDetails {
  const known = loan?.present ? loan.details : undefined;
  const { countryCode } = row;
  const borrower = row.borrower === undefined ? undefined : { name: row.borrower, countryCode };
  return {
    name: nameOf(row.name, known?.name) ?? row.loanNumber,
    facilityName: nameOf(row.name, known?.facilityName) ?? row.loanNumber,
    borrower: knownOrStated(known?.borrower, borrower) ?? { name: row.country, countryCode },
    guarantor: knownOrStated(known?.guarantor ?? undefined, row.guarantor),
    country: countryCode,
  };
}

/** As it was written first, where only its form differs. */
function nameOf(stated: string | undefined, known: string | undefined): string | undefined {
  if (stated === undefined || known === undefined) return stated ?? known;
  return foldName(stated) === foldName(known) ? known : stated;
}

function knownOrStated(
  known: KnownParty | undefined,
  stated: StatedParty | undefined,
): LoanParty | undefined {
  if (stated === undefined) return known;
  return known !== undefined && isParty(known, stated) ? known : stated;
}

/**
 * A party that was renamed since is known by the names that statements had for it, and by its own.
 * Without a country the name alone decides.
 */
function isParty(known: KnownParty, stated: StatedParty): boolean {
  const name = foldName(stated.name);
  if (stated.countryCode === '') {
    const names = known.refs.map((ref) => ref.replace(REF, '$2'));
    return [known.name, ...names].some((one) => foldName(one) === name);
  }
  return (
    known.refs.map(foldRef).includes(partyRef(stated)) ||
    (foldName(known.name) === name && known.country === stated.countryCode)
  );
}

/** The names that a statement changes, whole; undefined when it changes none. */
function changedDetails(row: StatementRow, loan: KnownLoan): LoanDetails | undefined {
  const { details: known, present } = loan;
  const now = detailsOf(row, loan);
  const same =
    present &&
    known.name === now.name &&
    known.facilityName === now.facilityName &&
    known.country === now.country &&
    known.borrower === now.borrower &&
    (known.guarantor ?? undefined) === now.guarantor;
  return same ? undefined : now;
}

export interface PlanContext {
  readonly asOf: BusinessDate;
  /** Stands before the loan number in idempotency keys: profile and date. */
  readonly keyPrefix: string;
}

/** What a statement changes of a loan besides its money. */
export interface TermsPlan extends Journal<LoanLine> {
  readonly terms: readonly TermsRecord[];
  readonly details: (LoanDetails & Pick<KnownLoan, 'ids'>) | undefined;
}

/**
 * Terms and names that differ from what the book has, whole; undefined when none does. All of them
 * where the book does not have the loan at the date: what its records were once booked with says
 * nothing.
 */
export function planTerms(
  row: StatementRow,
  known: KnownLoan,
  context: PlanContext,
): TermsPlan | undefined {
  const { ids, terms, present } = known;
  const now = termsOf(row, known);
  const [deal, facility, contract] = now.statuses;
  const maturity = now.maturityDate === null ? {} : { maturityDate: now.maturityDate };
  const rate = now.allInRate === null ? {} : { allInRate: now.allInRate };
  const moved = !present || now.maturityDate !== terms.maturityDate;
  const changed = [
    ...(present && deal === terms.statuses[0] ? [] : [{ deal: ids.deal, status: deal }]),
    ...(facility === terms.statuses[1] && !moved
      ? []
      : [{ facility: ids.facility, status: facility, ...maturity }]),
    ...(contract === terms.statuses[2] && !moved && now.allInRate === terms.allInRate
      ? []
      : [{ contract: ids.contract, status: contract, ...maturity, ...rate }]),
  ] as readonly TermsRecord[];
  const names = changedDetails(row, known);
  if (changed.length === 0 && names === undefined) return undefined;
  return { ...planBooking(row, context), terms: changed, details: names && { ...names, ids } };
}

/**
 * A loan without any amount has a journal too, because the book has a record only while one of its
 * journals stands.
 */
export function planBooking(
  { loanNumber }: StatementRow,
  { asOf, keyPrefix }: PlanContext,
): Journal<LoanLine> {
  const idempotencyKey = `${keyPrefix}:${loanNumber}:terms`;
  return { type: 'terms', effectiveDate: asOf, idempotencyKey, postings: [] };
}

/** An empty rate or maturity keeps what the book has at the statement's date. */
export function termsOf(
  { statuses, dates, allInRate }: StatementRow,
  { present, terms }: Pick<KnownLoan, 'present' | 'terms'>,
): LoanTerms {
  const known = present ? terms : undefined;
  return {
    statuses,
    maturityDate: dates.maturityDate ?? known?.maturityDate ?? null,
    allInRate: allInRate ?? known?.allInRate ?? null,
  };
}

/** What a row adds to each cumulative amount of a loan, and the balances that follow from that. */
export function movementsOf(amounts: StatementRow['amounts'], state: LoanState) {
  const change = {
    original: amounts.originalPrincipal - state.originalPrincipal,
    cancelled: amounts.cancelled - state.cancelled,
    disbursed: amounts.disbursed - state.disbursed,
    repaid: amounts.repaid - state.repaid,
    repaidThirdParty: amounts.repaidThirdParty - state.repaidThirdParty,
    sold: amounts.sold - state.sold,
    exchange: amounts.exchangeAdjustment - state.exchangeAdjustment,
  };
  const expected = {
    undisbursed: state.unfunded + change.original - change.cancelled - change.disbursed,
    due: state.due + change.disbursed - change.repaid - change.sold,
    dueThirdParty: state.dueThirdParty + change.sold - change.repaidThirdParty,
  };
  return { change, expected };
}

/** The journals that bring one loan from `state` to what its row says. */
export function planLoan(
  { loanNumber, amounts }: StatementRow,
  state: LoanState,
  { asOf, keyPrefix }: PlanContext,
): readonly Journal<LoanLine>[] {
  const { change, expected } = movementsOf(amounts, state);
  // What the statement's own balances need beyond its movements.
  const unfundedGap = amounts.undisbursed - expected.undisbursed;
  const dueGap = amounts.due - expected.due;
  const dueThirdPartyGap = amounts.dueThirdParty - expected.dueThirdParty;

  const journal = (
    type: JournalType,
    postings: readonly Posting<LoanLine>[],
    remarks: Pick<Journal<LoanLine>, 'reason' | 'overadvance'> = {},
  ): readonly Journal<LoanLine>[] => {
    const kept = postings.filter(({ amountMinor }) => amountMinor !== 0n);
    if (kept.length === 0) return [];
    const idempotencyKey = `${keyPrefix}:${loanNumber}:${type}`;
    return [{ type, effectiveDate: asOf, idempotencyKey, ...remarks, postings: kept }];
  };

  return [
    ...journal('original_commitment', [
      ...shared('facility', 'ORIGINAL_COMMITMENT', change.original),
      ...shared('facility', 'UNFUNDED', change.original),
      ...shared('facility', 'MEMO', -2n * change.original),
    ]),
    ...journal('cancellation', [
      ...shared('facility', 'CANCELLED_COMMITMENT', change.cancelled),
      ...shared('facility', 'UNFUNDED', -change.cancelled),
    ]),
    ...journal(
      'advance',
      [
        ...principal('advance', { lender: change.disbursed, participants: 0n }),
        ...shared('facility', 'UNFUNDED', -change.disbursed),
        ...shared('facility', 'MEMO', change.disbursed),
      ],
      { overadvance: change.disbursed > 0n && amounts.undisbursed < 0n },
    ),
    ...journal(
      'transfer',
      principal('transfer', { lender: -change.sold, participants: change.sold }),
    ),
    ...journal(
      'scheduled_repayment',
      principal('scheduled_repayment', {
        lender: -change.repaid,
        participants: -change.repaidThirdParty,
      }),
    ),
    ...journal(
      'adjustment',
      principal('adjustment', { lender: dueGap, participants: dueThirdPartyGap }),
      { reason: 'the statement’s amount due is not disbursed − repaid − sold' },
    ),
    ...journal(
      'commitment_adjustment',
      [...shared('facility', 'UNFUNDED', unfundedGap), ...shared('facility', 'MEMO', -unfundedGap)],
      { reason: 'the statement’s undisbursed amount is not original − cancelled − disbursed' },
    ),
    ...journal('fx_revaluation', [
      ...shared('contract', 'FX_REVAL', change.exchange),
      ...shared('contract', 'FX_CLEARING', -change.exchange),
    ]),
  ];
}

/** A global leg and the same for the lender of record, who holds all of it. */
function shared(
  level: LoanLine['level'],
  account: LedgerAccount,
  amountMinor: bigint,
): readonly Posting<LoanLine>[] {
  return [
    { line: { level, holder: 'global' }, account, amountMinor },
    { line: { level, holder: 'lender' }, account, amountMinor },
  ];
}

const CLEARING: Readonly<Record<string, LedgerAccount>> = {
  advance: 'CASH_CLEARING',
  scheduled_repayment: 'CASH_CLEARING',
  transfer: 'TRANSFER_CLEARING',
  adjustment: 'ADJUSTMENT_CLEARING',
};

/** Legs of principal: each holder's own, and globally their sum. */
function principal(
  movement: 'advance' | 'scheduled_repayment' | 'transfer' | 'adjustment',
  amounts: { readonly lender: bigint; readonly participants: bigint },
): readonly Posting<LoanLine>[] {
  const legs = [
    ['global', amounts.lender + amounts.participants],
    ['lender', amounts.lender],
    ['participants', amounts.participants],
  ] as const;
  return legs.flatMap(([holder, amountMinor]) => {
    const line: LoanLine = { level: 'contract', holder };
    return [
      { line, account: 'PRINCIPAL_CASH', movement, amountMinor },
      { line, account: CLEARING[movement] ?? 'CASH_CLEARING', amountMinor: -amountMinor },
    ];
  });
}
