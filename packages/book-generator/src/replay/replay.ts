/** The slow and plain way from postings to balances, which every quicker way must agree with. */
import { type Balance, type Component, ZERO_BALANCE } from '@cls/resource-api/ledger/balance';
import type { BusinessDate } from '@cls/resource-api/ledger/business-date';
import type { LedgerAccount, PrincipalMovement } from '@cls/resource-api/ledger/journal';

/** A posting as it stands in the ledger. */
export interface PostedAmount {
  readonly journal: string;
  readonly effectiveDate: BusinessDate;
  readonly facility: string;
  /** Undefined: on the facility itself. */
  readonly contract?: string | undefined;
  /** Undefined: globally. */
  readonly lender?: string | undefined;
  readonly account: LedgerAccount;
  readonly movement?: PrincipalMovement | undefined;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly reversal?: boolean;
}

/** What a balance is kept of. */
export interface LineBalance {
  readonly facility: string;
  readonly contract: string | undefined;
  readonly lender: string | undefined;
  readonly currency: string;
  readonly balance: Balance;
}

const COMPONENT_OF: Readonly<Partial<Record<LedgerAccount, Component>>> = {
  ORIGINAL_COMMITMENT: 'original_commitment',
  CANCELLED_COMMITMENT: 'cancelled_commitment',
  UNFUNDED: 'unfunded',
  LETTER_OF_CREDIT: 'letter_of_credit',
  UNAVAILABLE: 'unavailable',
  PRINCIPAL_CASH: 'principal_cash',
  PRINCIPAL_PIK: 'principal_pik',
  PRINCIPAL_DUE: 'principal_due',
  INTEREST_ACCRUED: 'interest_accrued',
  PIK_ACCRUED: 'pik_accrued',
  INTEREST_DUE: 'interest_due',
  FEES_ACCRUED: 'fees_accrued',
  FEES_DUE: 'fees_due',
  FX_REVAL: 'fx_revaluation',
};

const MOVEMENT_OF: Readonly<Record<PrincipalMovement, Component>> = {
  advance: 'advances',
  scheduled_repayment: 'scheduled_repayments',
  voluntary_prepayment: 'voluntary_prepayments',
  mandatory_prepayment: 'mandatory_prepayments',
  pik_capitalization: 'pik_capitalizations',
  fee_capitalization: 'fee_capitalizations',
  write_off: 'write_offs',
  rollover: 'rollovers',
  transfer: 'transfers',
  adjustment: 'adjustments',
};

/** Balances at the end of a date; of all postings when no date is given. */
export function replay(
  postings: Iterable<PostedAmount>,
  asOf?: BusinessDate,
): ReadonlyMap<string, LineBalance> {
  const lines = new Map<string, LineBalance & { balance: Record<Component, bigint> }>();
  for (const posting of postings) {
    if (asOf !== undefined && posting.effectiveDate > asOf) continue;
    const { facility, contract, lender, currency, account, movement, amountMinor } = posting;
    const name = lineName(facility, contract, lender);
    const line = lines.get(name) ?? {
      facility,
      contract,
      lender,
      currency,
      balance: { ...ZERO_BALANCE },
    };
    lines.set(name, line);
    const component = COMPONENT_OF[account];
    if (component !== undefined) line.balance[component] += amountMinor;
    if (movement === undefined) continue;
    line.balance[MOVEMENT_OF[movement]] += amountMinor;
    line.balance.movement_count += 1n;
    line.balance.reversal_count += posting.reversal ? 1n : 0n;
  }
  return lines;
}

export function lineName(facility: string, contract = '', lender = ''): string {
  return `${facility} ${contract} ${lender}`;
}
