/**
 * Balances in minor units of one currency, globally or of one lender. Names follow FpML's
 * facility statement and the LSTA's terms; see docs/reference/ledger.md.
 */

/** What stands on a balance line at a date. */
export const BALANCE_COMPONENTS = [
  'original_commitment',
  'cancelled_commitment',
  'unfunded',
  'letter_of_credit',
  'unavailable',
  'sublimit_used',
  'principal_cash',
  'principal_pik',
  'principal_due',
  'interest_accrued',
  'pik_accrued',
  'interest_due',
  'fees_accrued',
  'fees_due',
  'fx_revaluation',
] as const;
export type BalanceComponent = (typeof BALANCE_COMPONENTS)[number];

/** The lines of principal's roll-forward: closing = opening + their sum. */
export const MOVEMENT_COMPONENTS = [
  'advances',
  'scheduled_repayments',
  'voluntary_prepayments',
  'mandatory_prepayments',
  'pik_capitalizations',
  'fee_capitalizations',
  'write_offs',
  'rollovers',
  'transfers',
  'adjustments',
] as const;
export type MovementComponent = (typeof MOVEMENT_COMPONENTS)[number];

/** How many postings of principal there were, and how many of them reverse others. */
export const COUNT_COMPONENTS = ['movement_count', 'reversal_count'] as const;
type CountComponent = (typeof COUNT_COMPONENTS)[number];

export const COMPONENTS = [
  ...BALANCE_COMPONENTS,
  ...MOVEMENT_COMPONENTS,
  ...COUNT_COMPONENTS,
] as const;
export type Component = BalanceComponent | MovementComponent | CountComponent;

/** Every component, in minor units; movements and counts are cumulative since inception. */
export type Balance = Readonly<Record<Component, bigint>>;

/** What totals over items tell. */
export const TOTAL_COMPONENTS = [
  'unfunded',
  'principal_cash',
  'principal_pik',
  'interest_accrued',
  'fees_accrued',
  'fx_revaluation',
] as const satisfies readonly BalanceComponent[];
export type TotalBalance = Pick<Balance, (typeof TOTAL_COMPONENTS)[number]>;

/** What a roll-forward of principal tells. */
export const PRINCIPAL_COMPONENTS = [
  'principal_cash',
  'principal_pik',
  'fx_revaluation',
  ...MOVEMENT_COMPONENTS,
  ...COUNT_COMPONENTS,
] as const satisfies readonly Component[];
export type PrincipalBalance = Pick<Balance, (typeof PRINCIPAL_COMPONENTS)[number]>;

export function addPrincipal(a: PrincipalBalance, b: PrincipalBalance): PrincipalBalance {
  const sums = PRINCIPAL_COMPONENTS.map((name) => [name, a[name] + b[name]] as const);
  return Object.fromEntries(sums) as PrincipalBalance;
}

/** Principal that the borrower owes: paid in cash and capitalised. */
export function outstandingPrincipal(
  balance: Pick<Balance, 'principal_cash' | 'principal_pik'>,
): bigint {
  return balance.principal_cash + balance.principal_pik;
}

/** A balance with what follows from dates and terms as well as from amounts. */
export type StatedBalance = Balance & {
  /** What may be drawn. */
  readonly available: bigint;
  /** Capitalised interest of facilities where PIK uses the commitment. */
  readonly pik_drawn: bigint;
};

/** What the borrower owes in the reporting currency, exchange differences included. */
export function obligation(
  balance: Pick<Balance, 'principal_cash' | 'principal_pik' | 'fx_revaluation'>,
): bigint {
  return outstandingPrincipal(balance) + balance.fx_revaluation;
}

/** Principal that is drawn of the commitment: in cash, and by PIK where it uses the commitment. */
export function funded(balance: Pick<StatedBalance, 'principal_cash' | 'pik_drawn'>): bigint {
  return balance.principal_cash + balance.pik_drawn;
}

/** What the lenders are bound to: funded, by letters of credit, under sublimits, and still to be drawn. */
export function currentCommitment(balance: StatedBalance): bigint {
  const { letter_of_credit, sublimit_used, unfunded } = balance;
  return funded(balance) + letter_of_credit + sublimit_used + unfunded;
}

export const ZERO_BALANCE: StatedBalance = {
  ...(Object.fromEntries(COMPONENTS.map((name) => [name, 0n])) as Record<Component, bigint>),
  available: 0n,
  pik_drawn: 0n,
};

export function addBalances(a: Balance, b: Balance): Balance {
  return Object.fromEntries(COMPONENTS.map((name) => [name, a[name] + b[name]])) as Record<
    Component,
    bigint
  >;
}

export function addTotals(a: TotalBalance, b: TotalBalance): TotalBalance {
  return {
    unfunded: a.unfunded + b.unfunded,
    principal_cash: a.principal_cash + b.principal_cash,
    principal_pik: a.principal_pik + b.principal_pik,
    interest_accrued: a.interest_accrued + b.interest_accrued,
    fees_accrued: a.fees_accrued + b.fees_accrued,
    fx_revaluation: a.fx_revaluation + b.fx_revaluation,
  };
}

/** Invariant: the roll-forward since inception foots. */
export function rollForwardFoots(balance: Balance): boolean {
  const moved = MOVEMENT_COMPONENTS.reduce((sum, component) => sum + balance[component], 0n);
  return moved === outstandingPrincipal(balance);
}
