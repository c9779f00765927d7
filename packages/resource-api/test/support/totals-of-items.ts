import type { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { expect } from 'chai';
import { TOTAL_COMPONENTS, type TotalBalance } from '../../src/ledger/balance.ts';
import type { BusinessDate } from '../../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  type BookedTotal,
  LEVELS,
  type Level,
  NO_FILTER,
  type ReaderAccess,
} from '../../src/questions/ask/balance-store.ts';
import { everyItem } from '../../src/questions/page/read-items.ts';

/** Values of filters that leave a part of a book. */
export interface FilterValues {
  readonly currencies: readonly string[];
  readonly countries: readonly string[];
  readonly facilityTypes: readonly string[];
  readonly statuses: readonly string[];
}

export const STATUSES = ['pending', 'active', 'matured', 'repaid'];

/** Some filter, or none. */
export function someFilter(random: Random, values: FilterValues): BalanceFilter {
  const some = (of: readonly string[]) => (random.chance(0.3) ? random.some(of, 1) : []);
  const amount = () => (random.chance(0.2) ? BigInt(random.between(0, 400_000_000)) : undefined);
  return {
    ...NO_FILTER,
    currencies: some(values.currencies),
    countries: some(values.countries),
    facilityTypes: some(values.facilityTypes),
    statuses: some(values.statuses),
    minOutstandingMinor: amount(),
    maxOutstandingMinor: amount(),
  };
}

/**
 * Asks at each level for totals, and for the items in which something accrues: they must be what all
 * items come to, read page by page. A sublimit's commitment counts where its facility is not among them.
 */
export async function expectTotalsOfItems(
  store: BalanceStore,
  database: Database,
  access: ReaderAccess,
  { asOf, filter }: { readonly asOf: BusinessDate; readonly filter: BalanceFilter },
  note = '',
): Promise<void> {
  const [row] = await database.query<{ seq: bigint }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM journal',
  );
  const snapshot = { asOf, ledgerSeq: row?.seq ?? 0n };
  for (const level of LEVELS) {
    const what = `${note}: ${level} ${asOf} ${JSON.stringify({ access, filter }, plain)}`;
    const request = { level, filter, snapshot, limit: 10_000 };
    const items = await everyItem(store, access, request);
    expect(await store.totals(access, request), what).to.deep.equal(addedUp(level, items));
    const accruing = await store.accruing(access, request);
    expect(accruing.map(({ key }) => key).sort(byNumber), what).to.deep.equal(
      items.flatMap(({ accrues, end }) => (accrues ? [end.key] : [])).sort(byNumber),
    );
  }
}

const byNumber = (a: bigint, b: bigint) => Number(a - b);

function addedUp(level: Level, items: readonly BalanceItem[]): readonly BookedTotal[] {
  const holderOf = ({ position }: BalanceItem) => position?.lenderId ?? '';
  const wholes = new Set(items.map((item) => `${item.facility?.id} ${holderOf(item)}`));
  const totals = new Map<string, { count: number; balance: Record<string, bigint> }>();
  for (const item of items) {
    const own =
      item.lenders.find(({ lender }) => lender.id === item.position?.lenderId)?.balance ??
      item.global;
    const isPart =
      (level === 'facility' || level === 'position') &&
      wholes.has(`${item.facility?.sublimitOf} ${holderOf(item)}`);
    const total = totals.get(item.currency) ?? { count: 0, balance: {} };
    total.count += 1;
    for (const name of TOTAL_COMPONENTS) {
      const amount = isPart && name === 'unfunded' ? 0n : own[name];
      total.balance[name] = (total.balance[name] ?? 0n) + amount;
    }
    totals.set(item.currency, total);
  }
  return [...totals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { count, balance }]) => ({
      currency,
      count,
      balance: balance as unknown as TotalBalance,
    }));
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
