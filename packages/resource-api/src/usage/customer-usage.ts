import type { ClientUse, CustomerUsage } from './version-usage.ts';

/** The use of the API by one customer, from a first day to a last one. */
export interface CustomerUse {
  /** Of a client, version and operation on a day; the newest day first. */
  readonly uses: readonly ClientUse[];
  readonly requests: number;
  /** Each for one version asked and served; the most requests first. */
  readonly versions: readonly SummedUse[];
  readonly clients: readonly (SummedUse & { readonly clientId: string })[];
  readonly operations: readonly (SummedUse & { readonly operation: string })[];
}

/** Requests of several days. */
interface SummedUse {
  readonly requested: string;
  readonly served: string;
  readonly requests: number;
  readonly lastDay: string;
}

export async function readCustomerUse(
  usage: CustomerUsage,
  customer: string,
  firstDay: string,
  lastDay: string,
): Promise<CustomerUse> {
  const counts = new Map<string, ClientUse>();
  for (const { day, clientId, requested, served, operation, requests } of await usage.ofCustomer(
    customer,
    firstDay,
    lastDay,
  )) {
    const use = { day, clientId, requested, served, operation };
    const key = keyOf(use);
    counts.set(key, { ...use, requests: requests + (counts.get(key)?.requests ?? 0) });
  }
  const uses = [...counts].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, use]) => use);
  return {
    uses,
    requests: uses.reduce((sum, { requests }) => sum + requests, 0),
    versions: summed(uses, () => ({})),
    clients: summed(uses, ({ clientId }) => ({ clientId })),
    operations: summed(uses, ({ operation }) => ({ operation })),
  };
}

/** One text for a use; uses are in its order. None of these has a line break. */
export function keyOf(use: Omit<ClientUse, 'requests'>): string {
  const { day, clientId, requested, served, operation } = use;
  return [day, clientId, requested, served, operation].join('\n');
}

function summed<M extends Readonly<Record<string, string>>>(
  uses: readonly ClientUse[],
  more: (use: ClientUse) => M,
): readonly (M & SummedUse)[] {
  const sums = new Map<string, M & SummedUse>();
  // The first of each is of its newest day.
  for (const use of uses) {
    const { requested, served, requests, day } = use;
    const named = { ...more(use), requested, served };
    const key = Object.values(named).join('\n');
    const before = sums.get(key);
    const sum = requests + (before?.requests ?? 0);
    sums.set(key, { ...named, requests: sum, lastDay: before?.lastDay ?? day });
  }
  return [...sums]
    .sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1))
    .map(([, sum]) => sum);
}
