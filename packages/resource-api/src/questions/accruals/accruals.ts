import type { AccrualComponent, AccrualPeriod } from '../../ledger/accrual.ts';
import type { BalanceComponent, TotalBalance } from '../../ledger/balance.ts';
import { type AccrualStream, type WorkedAccrual, workOut } from '../../ledger/billed-accruals.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type {
  AccruedAmounts,
  BalanceItem,
  BalanceStore,
  BookedTotal,
  ItemStreams,
  MarkedItem,
  MarkedRequest,
  ReaderAccess,
} from '../ask/balance-store.ts';

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
  /** For `explained`: totals need the amounts only. */
  readonly worked: readonly WorkedAccrual[];
  readonly amounts: AccruedAmounts;
}

const BALANCE_OF: Readonly<Record<AccrualComponent, BalanceComponent>> = {
  interest: 'interest_accrued',
  pik: 'pik_accrued',
  commitment_fee: 'fees_accrued',
  letter_of_credit_fee: 'fees_accrued',
};

const NO_ACCRUALS: ItemAccruals = { worked: [], amounts: new Map() };

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
  const worked = workOut(streams);
  for (const { stream, amounts: ofLines } of worked) addTo(amounts, stream.component, ofLines);
  return { amounts, worked };
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

/** How an accrual comes about. */
export function explained({
  stream,
  amounts,
  corrects,
  ...days
}: WorkedAccrual): AccrualExplanation {
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

/** Of a currency, or of a group in it; `rest`: of all groups that are not told one by one. */
interface Sum {
  readonly currency: string;
  readonly group?: string | null;
  readonly rest?: boolean;
}

const BATCH = 500;

/** Names a sum among those of one question. */
export function nameOf({ currency, group = null }: Omit<Sum, 'rest'>): string {
  return JSON.stringify([currency, group]);
}

/** What is worked out for items, by their keys: so many at once. */
export async function workByKey<T>(
  items: readonly MarkedItem[],
  workOf: (keys: readonly bigint[]) => Promise<ReadonlyMap<bigint, T>>,
): Promise<ReadonlyMap<bigint, T>> {
  const found = new Map<bigint, T>();
  for (let start = 0; start < items.length; start += BATCH) {
    const keys = items.slice(start, start + BATCH).map(({ key }) => key);
    for (const [key, worked] of await workOf(keys)) found.set(key, worked);
  }
  return found;
}

/** Adds each item to the sum that it is in. */
export function perItem<S extends Sum>(
  sums: readonly S[],
  items: readonly MarkedItem[],
  add: (sum: S, item: MarkedItem) => S,
): readonly S[] {
  const found = new Map(sums.map((one) => [one.rest ? `rest ${one.currency}` : nameOf(one), one]));
  for (const item of items) {
    const own = nameOf(item);
    const name = found.has(own) ? own : `rest ${item.currency}`;
    const sum = found.get(name);
    if (sum !== undefined) found.set(name, add(sum, item));
  }
  return [...found.values()];
}

/** Adds what accrues in the items of sums, or says that it is missing: of more items than `limit`. */
export async function withAccrued<S extends Sum & BookedTotal>(
  store: BalanceStore,
  access: ReaderAccess,
  request: MarkedRequest,
  sums: readonly S[],
): Promise<readonly (S & { readonly withAccruals: boolean })[]> {
  const { level, snapshot, limit } = request;
  const items = await store.accruing(access, request);
  if (items.length > limit) return sums.map((sum) => ({ ...sum, withAccruals: false }));
  const amounts = await workByKey(items, (keys) => store.accrualAmountsOf(level, keys, snapshot));
  const added = perItem(sums, items, (sum, { key, holder }) => ({
    ...sum,
    balance: withAccruals(sum.balance, holder, amounts.get(key)),
  }));
  return added.map((sum) => ({ ...sum, withAccruals: true }));
}

/** Works out once for each key what several ask for. A key may be a list: it stands for itself. */
export function oncePerKey<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key) as Value;
  };
}
