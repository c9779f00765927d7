/** v1's shapes: docs/api.md lists every field. Money is a decimal string of its currency. */
import type {
  BalanceItem,
  CurrencyTotal,
  LenderShare,
  Level,
} from '../../balances/balance-store.ts';
import type { BalancePage } from '../../balances/read-balances.ts';
import {
  availableToDraw,
  type Balance,
  currentCommitment,
  MOVEMENT_COMPONENTS,
  type MovementComponent,
  obligation,
  outstandingPrincipal,
} from '../../ledger/balance.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount } from '../../ledger/money.ts';

type Money = (amountMinor: bigint) => string;

const MOVEMENT_NAMES: Readonly<Record<MovementComponent, string>> = {
  advances: 'advances',
  scheduled_repayments: 'scheduledRepayments',
  voluntary_prepayments: 'voluntaryPrepayments',
  mandatory_prepayments: 'mandatoryPrepayments',
  pik_capitalizations: 'pikCapitalized',
  fee_capitalizations: 'feesCapitalized',
  write_offs: 'writeOffs',
  rollovers: 'rollovers',
  transfers: 'transfers',
  adjustments: 'adjustments',
};
const SHARE_DECIMALS = 12;

export function presentPage(page: BalancePage): object {
  const { asOf, ledgerSeq, dataThrough, limit, nextCursor } = page;
  return {
    object: 'list',
    data: page.items.map((item) => PRESENT_ITEM[page.level](item, page)),
    page: { limit, hasMore: nextCursor !== undefined, nextCursor: nextCursor ?? null },
    meta: {
      apiVersion: 'v1',
      asOf,
      ledgerSeq: Number(ledgerSeq),
      dataThrough: dataThrough ?? null,
    },
    totals: page.totals.map((total) => presentTotal(total, page.level)),
  };
}

const PRESENT_ITEM: Readonly<Record<Level, (item: BalanceItem, page: BalancePage) => object>> = {
  facility: presentBalance,
  contract: presentPrincipal,
};

function presentBalance(item: BalanceItem, { asOf }: BalancePage): object {
  const money = moneyOf(item.currency);
  return {
    object: 'balance',
    id: `bal_${item.facility.id}_${asOf}`,
    level: 'facility',
    asOf,
    ...presentParties(item),
    global: amounts(item.global, money),
    ...presentShares(item, (balance) => amounts(balance, money)),
    status: { deal: item.deal.status, facility: item.facility.status },
    ...presentProvenance(item),
  };
}

function presentPrincipal(item: BalanceItem, { asOf }: BalancePage): object {
  const money = moneyOf(item.currency);
  return {
    object: 'principalBalance',
    id: `pri_${item.contract?.id}_${asOf}`,
    level: 'contract',
    asOf,
    ...presentParties(item),
    period: { from: null, to: asOf },
    global: rollForward(item.global, money),
    ...presentShares(item, (balance) => rollForward(balance, money)),
    allInRate: item.contract?.allInRate ?? null,
    status: { deal: item.deal.status, contract: item.contract?.status },
    ...presentProvenance(item),
  };
}

function presentParties({ deal, facility, contract, borrower, currency }: BalanceItem): object {
  return {
    deal: { id: deal.id, name: deal.name, dealNumber: deal.dealNumber },
    facility: {
      id: facility.id,
      name: facility.name,
      type: facility.type,
      currency,
      maturityDate: facility.maturityDate,
    },
    contract:
      contract === null ? null : { id: contract.id, contractNumber: contract.contractNumber },
    borrower,
    currency,
  };
}

/** `share`: a lender's own. `lenders`: every share that the caller may see. */
function presentShares(
  { roles, lenders, global }: BalanceItem,
  present: (balance: Balance) => object,
): object {
  const shares = lenders.map(({ lender, balance }: LenderShare) => ({
    lender,
    fraction: fractionOf(currentCommitment(balance), currentCommitment(global)),
    ...present(balance),
  }));
  const own = roles.includes('lender') && !roles.includes('agent') && shares.length === 1;
  return { share: own ? shares[0] : null, lenders: shares };
}

function presentProvenance({ global, lastEffectiveDate, lastSeq }: BalanceItem): object {
  const warnings = [
    ...(outstandingPrincipal(global) < 0n ? ['negative_outstanding'] : []),
    ...(global.unfunded < 0n ? ['negative_unfunded'] : []),
  ];
  return { provenance: { lastEffectiveDate, ledgerSeq: Number(lastSeq) }, warnings };
}

function amounts(balance: Balance, money: Money): object {
  const outstanding = outstandingPrincipal(balance);
  const interest = balance.interest_accrued + balance.pik_accrued + balance.interest_due;
  const fees = balance.fees_accrued + balance.fees_due;
  return {
    commitment: {
      original: money(balance.original_commitment),
      cancelled: money(balance.cancelled_commitment),
      current: money(currentCommitment(balance)),
      funded: money(balance.principal_cash),
      unfunded: money(balance.unfunded),
      available: money(availableToDraw(balance)),
    },
    principal: {
      outstanding: money(outstanding),
      cash: money(balance.principal_cash),
      pikCapitalized: money(balance.principal_pik),
      due: money(balance.principal_due),
      exchangeAdjustment: money(balance.fx_revaluation),
      obligation: money(obligation(balance)),
    },
    interest: {
      accrued: money(balance.interest_accrued),
      pikAccrued: money(balance.pik_accrued),
      due: money(balance.interest_due),
    },
    fees: { accrued: money(balance.fees_accrued), due: money(balance.fees_due) },
    total: { outstanding: money(outstanding + interest + fees) },
  };
}

function rollForward(balance: Balance, money: Money): object {
  const movements = MOVEMENT_COMPONENTS.map((name) => [MOVEMENT_NAMES[name], money(balance[name])]);
  return {
    opening: money(0n),
    movements: Object.fromEntries(movements),
    closing: money(outstandingPrincipal(balance)),
    exchangeAdjustment: money(balance.fx_revaluation),
    obligation: money(obligation(balance)),
  };
}

function presentTotal({ currency, count, balance }: CurrencyTotal, level: Level): object {
  const money = moneyOf(currency);
  return {
    currency,
    count,
    principalOutstanding: money(outstandingPrincipal(balance)),
    exchangeAdjustment: money(balance.fx_revaluation),
    obligation: money(obligation(balance)),
    // Commitments stand on facilities; of contracts alone the sum would be a false zero.
    ...(level === 'facility' ? { unfunded: money(balance.unfunded) } : {}),
    interestAccrued: money(balance.interest_accrued),
    feesAccrued: money(balance.fees_accrued),
  };
}

function moneyOf(currency: string): Money {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) throw new Error(`the ledger holds an unknown currency: ${currency}`);
  return (amountMinor) => formatAmount(amountMinor, digits);
}

/** A fraction of the whole as a decimal string, cut at 12 decimals; null of nothing. */
function fractionOf(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null;
  return formatAmount((part * 10n ** BigInt(SHARE_DECIMALS)) / whole, SHARE_DECIMALS);
}
