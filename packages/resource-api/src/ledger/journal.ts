import type { BusinessDate } from './business-date.ts';

/** Accounts of the chart; the second row holds the other side of each entry. */
export const LEDGER_ACCOUNTS = [
  'ORIGINAL_COMMITMENT',
  'CANCELLED_COMMITMENT',
  'UNFUNDED',
  'LETTER_OF_CREDIT',
  'UNAVAILABLE',
  'PRINCIPAL_CASH',
  'PRINCIPAL_PIK',
  'PRINCIPAL_DUE',
  'INTEREST_ACCRUED',
  'PIK_ACCRUED',
  'INTEREST_DUE',
  'FEES_ACCRUED',
  'FEES_DUE',
  'FX_REVAL',
  'CASH_CLEARING',
  'INTEREST_INCOME',
  'FEE_INCOME',
  'WRITE_OFF',
  'TRANSFER_CLEARING',
  'ADJUSTMENT_CLEARING',
  'FX_CLEARING',
  'MEMO',
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

export const PRINCIPAL_MOVEMENTS = [
  'advance',
  'scheduled_repayment',
  'voluntary_prepayment',
  'mandatory_prepayment',
  'pik_capitalization',
  'fee_capitalization',
  'write_off',
  'rollover',
  'transfer',
  'adjustment',
] as const;
export type PrincipalMovement = (typeof PRINCIPAL_MOVEMENTS)[number];

export const JOURNAL_TYPES = [
  ...PRINCIPAL_MOVEMENTS,
  'original_commitment',
  'commitment_increase',
  'commitment_reduction',
  'cancellation',
  'commitment_expiry',
  'commitment_amortisation',
  'commitment_adjustment',
  'letter_of_credit',
  'availability_block',
  'interest_accrual',
  'interest_billing',
  'interest_payment',
  'fee_billing',
  'fee_payment',
  'principal_billing',
  'fx_revaluation',
  // Without postings: what changed are terms or rates.
  'terms',
  'rate_set',
] as const;
export type JournalType = (typeof JOURNAL_TYPES)[number];

export interface Posting<Line> {
  readonly line: Line;
  readonly account: LedgerAccount;
  /** Set exactly where the account is principal. */
  readonly movement?: PrincipalMovement | undefined;
  /** Minor units; debit positive, credit negative; never zero. */
  readonly amountMinor: bigint;
  /** When a billed amount is due; on the due accounts alone. */
  readonly dueDate?: BusinessDate | undefined;
}

/** One event of a deal, balanced; never changed afterwards. */
export interface Journal<Line> {
  readonly type: JournalType;
  readonly effectiveDate: BusinessDate;
  /** The same event posted twice is refused by it. */
  readonly idempotencyKey: string;
  readonly reason?: string | undefined;
  /** What it is called where it came from. */
  readonly sourceRef?: string | undefined;
  /** A drawing that is meant to exceed the commitment. */
  readonly overadvance?: boolean | undefined;
  readonly postings: readonly Posting<Line>[];
}
