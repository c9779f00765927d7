import type { AccrualComponent, AccrualPeriod } from '../../ledger/accrual.ts';
import type { BalanceComponent, TotalBalance } from '../../ledger/balance.ts';
import { type AccrualStream, type WorkedAccrual, workOut } from '../../ledger/billed-accruals.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type { AccruedAmounts, BalanceItem, ItemStreams } from '../ask/balance-store.ts';

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

/** `AccruedAmounts` while they are added up. */
export type AddedAmounts = Map<string, Map<BalanceComponent, bigint>>;

export interface ItemAccruals {
  /** Built on demand: totals need the amounts only. */
  readonly explanations: () => readonly AccrualExplanation[];
  readonly amounts: AccruedAmounts;
}

const BALANCE_OF: Readonly<Record<AccrualComponent, BalanceComponent>> = {
  interest: 'interest_accrued',
  pik: 'pik_accrued',
  commitment_fee: 'fees_accrued',
  letter_of_credit_fee: 'fees_accrued',
};

const NO_ACCRUALS: ItemAccruals = { explanations: () => [], amounts: new Map() };

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
  const amounts: AddedAmounts = new Map();
  const parts = workOut(streams);
  for (const { stream, amounts: ofLines } of parts) addTo(amounts, stream.component, ofLines);
  return { amounts, explanations: () => parts.map(explain) };
}

/** Adds what accrued on lines. */
export function addTo(
  amounts: AddedAmounts,
  component: AccrualComponent,
  ofLines: ReadonlyMap<string, bigint>,
): void {
  const name = BALANCE_OF[component];
  for (const [lender, amount] of ofLines) {
    const line = amounts.get(lender);
    if (line === undefined) amounts.set(lender, new Map([[name, amount]]));
    else line.set(name, (line.get(name) ?? 0n) + amount);
  }
}

function explain({ stream, amounts, corrects, ...days }: WorkedAccrual): AccrualExplanation {
  const { facilityId, contractId, component, dayCount } = stream;
  return {
    ...{ facilityId, contractId, component, dayCount },
    ...days,
    amountMinor: amounts.get('') ?? 0n,
    corrects: corrects && {
      journalId: corrects.bill.journalId,
      billedMinor: corrects.billedMinor,
    },
  };
}

/** Adds to the components that the balance has; totals have fewer than items. */
export function withAccruals<B extends TotalBalance>(
  balance: B,
  lender: string,
  amounts: AccruedAmounts | undefined,
): B {
  const line = amounts?.get(lender);
  if (line === undefined) return balance;
  const sum: B & Partial<Record<BalanceComponent, bigint>> = { ...balance };
  for (const [name, amount] of line) {
    const booked = sum[name];
    if (booked !== undefined) sum[name] = booked + amount;
  }
  return sum;
}

export function itemWithAccruals(item: BalanceItem, { amounts }: ItemAccruals): BalanceItem {
  if (amounts.size === 0) return item;
  return {
    ...item,
    global: withAccruals(item.global, '', amounts),
    lenders: item.lenders.map(({ lender, balance }) => ({
      lender,
      balance: withAccruals(balance, lender.id, amounts),
    })),
  };
}

/** Works out once for each key what several ask for. A key may be a list: it stands for itself. */
export function oncePerKey<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key) as Value;
  };
}
