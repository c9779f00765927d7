import { type AccrualComponent, type AccrualPeriod, accrue } from '../ledger/accrual.ts';
import type { Balance, BalanceComponent } from '../ledger/balance.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { AccrualStream, BalanceItem } from './balance-store.ts';

/** One stream worked out: how the global amount comes about. */
export interface AccrualExplanation extends Omit<AccrualStream, 'lines' | 'rates'> {
  readonly to: BusinessDate;
  readonly amountMinor: bigint;
  readonly periods: readonly AccrualPeriod[];
}

export interface ItemAccruals {
  readonly explanations: readonly AccrualExplanation[];
  /** What is to be added to a line's balance; the global one under the empty id. */
  readonly amounts: ReadonlyMap<string, ReadonlyMap<BalanceComponent, bigint>>;
}

const BALANCE_OF: Readonly<Record<AccrualComponent, BalanceComponent>> = {
  interest: 'interest_accrued',
  pik: 'pik_accrued',
  commitment_fee: 'fees_accrued',
  letter_of_credit_fee: 'fees_accrued',
};

/**
 * What has accrued in an item until a date. Every lender's part is worked out, because parts add
 * up only together; the item shows those of lines that its reader may see.
 */
export function accrualsOf(streams: readonly AccrualStream[], to: BusinessDate): ItemAccruals {
  const amounts = new Map<string, Map<BalanceComponent, bigint>>();
  const explanations = streams.map((stream): AccrualExplanation => {
    const { lines, rates, ...rest } = stream;
    const accrued = accrue({ ...rest, rates, to }, lines);
    const component = BALANCE_OF[stream.component];
    for (const [lender, amount] of accrued.amounts) {
      const line = amounts.get(lender) ?? new Map<BalanceComponent, bigint>();
      amounts.set(lender, line.set(component, (line.get(component) ?? 0n) + amount));
    }
    const amountMinor = accrued.amounts.get('') ?? 0n;
    return { ...rest, to, amountMinor, periods: accrued.periods };
  });
  return { explanations, amounts };
}

export function withAccruals<B extends Balance>(
  balance: B,
  lender: string,
  { amounts }: ItemAccruals,
): B {
  const added = [...(amounts.get(lender) ?? [])];
  if (added.length === 0) return balance;
  return {
    ...balance,
    ...Object.fromEntries(added.map(([name, sum]) => [name, balance[name] + sum])),
  };
}

export function itemWithAccruals(item: BalanceItem, accruals: ItemAccruals): BalanceItem {
  return {
    ...item,
    global: withAccruals(item.global, '', accruals),
    lenders: item.lenders.map(({ lender, balance }) => ({
      lender,
      balance: withAccruals(balance, lender.id, accruals),
    })),
  };
}
