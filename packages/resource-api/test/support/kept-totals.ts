import type { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { expect } from 'chai';
import { type BusinessDate, businessDateOf } from '../../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceStore,
  LEVELS,
  NO_FILTER,
  type ReaderAccess,
} from '../../src/questions/ask/balance-store.ts';

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
 * Asks for totals at each level, and for the items in which something accrues, of the book as it is
 * known now: the database works out the same where nobody said in which state of the book it is asked.
 */
export async function expectTotalsWorkedOutAnew(
  store: BalanceStore,
  database: Database,
  access: ReaderAccess,
  { asOf, filter }: { readonly asOf: BusinessDate; readonly filter: BalanceFilter },
  note = '',
): Promise<void> {
  const [row] = await database.query<{ seq: bigint }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM journal',
  );
  const edition = { generation: await store.generation(), today: businessDateOf(new Date()) };
  const anew = { asOf, ledgerSeq: row?.seq ?? 0n };
  for (const level of LEVELS) {
    const what = `${note}: ${level} ${asOf} ${JSON.stringify({ access, filter }, plain)}`;
    const [kept, expected] = [{ ...anew, edition }, anew].map((snapshot) => ({
      level,
      filter,
      snapshot,
      limit: 10_000,
    })) as [FilterAsked, FilterAsked];
    expect(await store.totals(access, kept), what).to.deep.equal(
      await store.totals(access, expected),
    );
    const byKey = async (request: FilterAsked) =>
      [...(await store.accruing(access, request))].sort((a, b) => Number(a.key - b.key));
    expect(await byKey(kept), what).to.deep.equal(await byKey(expected));
  }
}

type FilterAsked = Parameters<BalanceStore['accruing']>[1];

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
