import type { AccrualComponent, AccrualPeriod } from '../ledger/accrual.ts';
import type { Balance, BalanceComponent, TotalBalance } from '../ledger/balance.ts';
import { type AccrualStream, workOut } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { BalanceItem, ItemStreams } from './balance-store.ts';
import { oncePerKey } from './once-per-key.ts';

/**
 * How one global amount was computed: for days that are not billed, or for a bill that is
 * corrected.
 */
export interface AccrualExplanation
  extends Pick<AccrualStream, 'facilityId' | 'contractId' | 'component' | 'dayCount'> {
  readonly from: BusinessDate;
  readonly to: BusinessDate;
  readonly amountMinor: bigint;
  readonly periods: () => readonly AccrualPeriod[];
  /** The bill that is corrected: the amount is what accrued in its days, less what was billed. */
  readonly corrects: { readonly journalId: string; readonly billedMinor: bigint } | undefined;
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

const NO_ACCRUALS: ItemAccruals = { explanations: [], amounts: new Map() };

/**
 * What has accrued in each item, by its key, and is not billed. All lenders' parts are computed, because
 * only together they add up. The item shows the lines that its reader may see.
 */
export function accrualsIn(streams: ItemStreams): (key: bigint) => ItemAccruals {
  const worked = oncePerKey(workedOut);
  return (key) => {
    const list = streams.get(key);
    return list === undefined ? NO_ACCRUALS : worked(list);
  };
}

function workedOut(streams: readonly AccrualStream[]): ItemAccruals {
  const amounts = new Map<string, Map<BalanceComponent, bigint>>();
  const explanations = workOut(streams).map((part): AccrualExplanation => {
    const { facilityId, contractId, component, dayCount } = part.stream;
    const { from, to, periods, corrects } = part;
    const name = BALANCE_OF[component];
    for (const [lender, amount] of part.amounts) {
      const line = amounts.get(lender) ?? new Map<BalanceComponent, bigint>();
      amounts.set(lender, line.set(name, (line.get(name) ?? 0n) + amount));
    }
    return {
      facilityId,
      contractId,
      component,
      dayCount,
      from,
      to,
      amountMinor: part.amounts.get('') ?? 0n,
      periods,
      corrects: corrects && {
        journalId: corrects.bill.journalId,
        billedMinor: corrects.billedMinor,
      },
    };
  });
  return { explanations, amounts };
}

/** Adds to the components that the balance has; totals have fewer than items. */
export function withAccruals<B extends TotalBalance>(
  balance: B,
  lender: string,
  { amounts }: ItemAccruals,
): B {
  const added = [...(amounts.get(lender) ?? [])].flatMap(([name, sum]) => {
    const booked = (balance as Partial<Balance>)[name];
    return booked === undefined ? [] : [[name, booked + sum] as const];
  });
  return added.length === 0 ? balance : { ...balance, ...Object.fromEntries(added) };
}

export function itemWithAccruals(item: BalanceItem, accruals: ItemAccruals): BalanceItem {
  if (accruals.amounts.size === 0) return item;
  return {
    ...item,
    global: withAccruals(item.global, '', accruals),
    lenders: item.lenders.map(({ lender, balance }) => ({
      lender,
      balance: withAccruals(balance, lender.id, accruals),
    })),
  };
}
