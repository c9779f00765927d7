import type {
  BalanceStore,
  BookedTotal,
  MarkedItem,
  MarkedRequest,
  ReaderAccess,
} from '../ask/balance-store.ts';
import { withAccruals } from './accruals.ts';

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

/** Adds to each sum what is worked out for its items. */
export async function perItem<S extends Sum>(
  sums: readonly S[],
  items: readonly MarkedItem[],
  work: (keys: readonly bigint[]) => Promise<(sum: S, item: MarkedItem) => S>,
): Promise<readonly S[]> {
  const found = new Map(sums.map((one) => [one.rest ? `rest ${one.currency}` : nameOf(one), one]));
  for (let start = 0; start < items.length; start += BATCH) {
    const batch = items.slice(start, start + BATCH);
    const add = await work(batch.map(({ key }) => key));
    for (const item of batch) {
      const own = nameOf(item);
      const name = found.has(own) ? own : `rest ${item.currency}`;
      const sum = found.get(name);
      if (sum !== undefined) found.set(name, add(sum, item));
    }
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
  const isKnown = items.length <= limit;
  const added = await perItem(sums, isKnown ? items : [], async (keys) => {
    const amountsOf = await store.accrualAmountsOf(level, keys, snapshot);
    return (sum, { key, holder }) => ({
      ...sum,
      balance: withAccruals(sum.balance, holder, amountsOf.get(key)),
    });
  });
  return added.map((sum) => ({ ...sum, withAccruals: isKnown }));
}
