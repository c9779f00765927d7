/**
 * From a statement to journals, pure. A statement tells cumulative amounts at a date; a journal
 * tells a change. What is posted is the difference to what the ledger already has, dated by the
 * statement.
 */

import type { TermsRecord } from '../journal-file/record.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { Journal, JournalType, LedgerAccount, Posting } from '../ledger/journal.ts';
import type { TapeRow } from './tape-row.ts';

/** What a balance line of one loan is for: the facility or its contract, and for whom. */
export interface LoanLine {
  readonly level: 'facility' | 'contract';
  readonly holder: 'global' | 'lender' | 'participants';
}

/** What the ledger has of a loan at the statement's date, in minor units. */
export interface LoanState {
  readonly originalPrincipal: bigint;
  readonly cancelled: bigint;
  readonly unfunded: bigint;
  readonly disbursed: bigint;
  /** Repaid to the lender and to the participants, positive. */
  readonly repaid: bigint;
  readonly repaidThirdParty: bigint;
  readonly sold: bigint;
  readonly due: bigint;
  readonly dueThirdParty: bigint;
  readonly exchangeAdjustment: bigint;
}

/** The terms of a loan that a statement tells, at the statement's date. */
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
  /** As it was booked: a statement does not change it. */
  readonly booked: Readonly<Record<KeptField, string | null>>;
}

/** What is kept as it was booked when a later statement says something else. */
export const KEPT_FIELDS = ['name', 'borrower', 'guarantor', 'country', 'facilityType'] as const;
export type KeptField = (typeof KEPT_FIELDS)[number];

export const EMPTY_LOAN: LoanState = {
  originalPrincipal: 0n,
  cancelled: 0n,
  unfunded: 0n,
  disbursed: 0n,
  repaid: 0n,
  repaidThirdParty: 0n,
  sold: 0n,
  due: 0n,
  dueThirdParty: 0n,
  exchangeAdjustment: 0n,
};

export interface PlanContext {
  readonly asOf: BusinessDate;
  /** Stands before the loan number in idempotency keys: profile and date. */
  readonly keyPrefix: string;
}

/**
 * Terms that differ from what the book has, whole; undefined when none does. All of them where the
 * book does not have the loan at the date: what its records were once booked with says nothing.
 */
export function planTerms(
  row: TapeRow,
  { ids, terms, present }: KnownLoan,
  { asOf, keyPrefix }: PlanContext,
): (Journal<LoanLine> & { readonly terms: readonly TermsRecord[] }) | undefined {
  const now = termsOf(row);
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
  if (changed.length === 0) return undefined;
  const idempotencyKey = `${keyPrefix}:${row.loanNumber}:terms`;
  return { type: 'terms', effectiveDate: asOf, idempotencyKey, postings: [], terms: changed };
}

/** A loan without any amount has a journal too: the book has it since, and for as long. */
export function planBooking(
  { loanNumber }: TapeRow,
  { asOf, keyPrefix }: PlanContext,
): Journal<LoanLine> {
  const idempotencyKey = `${keyPrefix}:${loanNumber}:terms`;
  return { type: 'terms', effectiveDate: asOf, idempotencyKey, postings: [] };
}

export function termsOf({ statuses, dates, allInRate }: TapeRow): LoanTerms {
  return {
    statuses,
    maturityDate: dates.maturityDate ?? null,
    allInRate: allInRate ?? null,
  };
}

/** The journals that bring one loan from `state` to what its row says. */
export function planLoan(
  { loanNumber, amounts }: TapeRow,
  state: LoanState,
  { asOf, keyPrefix }: PlanContext,
): readonly Journal<LoanLine>[] {
  const change = {
    original: amounts.originalPrincipal - state.originalPrincipal,
    cancelled: amounts.cancelled - state.cancelled,
    disbursed: amounts.disbursed - state.disbursed,
    repaid: amounts.repaid - state.repaid,
    repaidThirdParty: amounts.repaidThirdParty - state.repaidThirdParty,
    sold: amounts.sold - state.sold,
    exchange: amounts.exchangeAdjustment - state.exchangeAdjustment,
  };
  // What the statement's own balances need beyond the movements that it tells.
  const unfundedGap =
    amounts.undisbursed - (state.unfunded + change.original - change.cancelled - change.disbursed);
  const dueGap = amounts.due - (state.due + change.disbursed - change.repaid - change.sold);
  const dueThirdPartyGap =
    amounts.dueThirdParty - (state.dueThirdParty + change.sold - change.repaidThirdParty);

  const journal = (
    type: JournalType,
    postings: readonly Posting<LoanLine>[],
    { reason, overadvance = false }: { reason?: string; overadvance?: boolean } = {},
  ): readonly Journal<LoanLine>[] => {
    const kept = postings.filter(({ amountMinor }) => amountMinor !== 0n);
    if (kept.length === 0) return [];
    const idempotencyKey = `${keyPrefix}:${loanNumber}:${type}`;
    const explained = reason === undefined ? {} : { reason };
    const marked = overadvance ? { overadvance } : {};
    return [{ type, effectiveDate: asOf, idempotencyKey, ...explained, ...marked, postings: kept }];
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
    ...journal('transfer', [
      ...principal('transfer', { lender: -change.sold, participants: change.sold }),
    ]),
    ...journal('scheduled_repayment', [
      ...principal('scheduled_repayment', {
        lender: -change.repaid,
        participants: -change.repaidThirdParty,
      }),
    ]),
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
