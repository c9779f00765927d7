import type { Caller } from '@cls/shared/access/caller';
import { addTotals, ZERO_BALANCE } from '../../ledger/balance.ts';
import type { BalanceItem, CurrencyTotal } from '../ask/balance-store.ts';
import { COUNTED_ONCE, hasSublimits } from '../ask/counted-once.ts';
import { type BalancePage, everyPage, type ReadBalances } from './read-balances.ts';
import type { BalanceReading } from './read-items.ts';

const AT_ONCE = 1_000;

/**
 * Of a page, the items that are a sublimit whose facility is among the items of the same question, on
 * this page or on another: that facility's commitment holds theirs. Facilities of other pages are
 * asked for, so a walk need not remember what it has read.
 */
export async function sublimitsWithin(
  readBalances: ReadBalances,
  caller: Caller,
  page: BalancePage,
): Promise<ReadonlySet<BalanceItem>> {
  const { level } = page.question;
  if (!hasSublimits(level)) return new Set();
  const items = page.readings.map(({ item }) => item);
  const sublimits = items.filter(({ facility }) => facility?.sublimitOf);
  const found = namesOf(items);
  const elsewhere = sublimits.filter((item) => !found.has(wholeOf(item)));
  if (elsewhere.length > 0) {
    const others = await facilitiesOf(readBalances, caller, page, elsewhere);
    for (const name of namesOf(others)) found.add(name);
  }
  return new Set(sublimits.filter((item) => found.has(wholeOf(item))));
}

/** Items of the question that are, or are of, the facilities around these sublimits. */
async function facilitiesOf(
  readBalances: ReadBalances,
  caller: Caller,
  { question, filter, snapshot }: BalancePage,
  sublimits: readonly BalanceItem[],
): Promise<readonly BalanceItem[]> {
  const wholes = new Set(sublimits.flatMap(({ facility }) => facility?.sublimitOf ?? []));
  const asked = {
    ...question,
    filter: { ...filter, facilityIds: [...wholes] },
    ...{ sort: undefined, limit: AT_ONCE, totals: 'none' as const },
    ...{ expand: new Set<never>(), reporting: undefined, fromDate: undefined },
  };
  const found: BalanceItem[] = [];
  for await (const page of everyPage(readBalances, caller, asked, snapshot)) {
    found.push(...page.readings.map(({ item }) => item));
  }
  const named = filter.facilityIds;
  return found.filter(
    ({ facility, deal }) =>
      named.length === 0 || named.includes(facility?.id ?? '') || named.includes(deal.id),
  );
}

function namesOf(items: readonly BalanceItem[]): Set<string> {
  return new Set(items.map((item) => nameOf(item.facility?.id, item)));
}

/** What the facility around a sublimit is called in `namesOf`: at level position, the same lender's part. */
function wholeOf(item: BalanceItem): string {
  return nameOf(item.facility?.sublimitOf, item);
}

function nameOf(facilityId: string | null | undefined, { position }: BalanceItem): string {
  return `${facilityId} ${position?.lenderId ?? ''}`;
}

const NOT_COUNTED = Object.fromEntries(COUNTED_ONCE.map((name) => [name, 0n]));

/**
 * Adds readings up as totals do, for a caller that reads every item anyway.
 *
 * @param within sublimits whose facility is among the items too: its commitment holds theirs
 */
export function addUp(
  totals: ReadonlyMap<string, CurrencyTotal>,
  readings: readonly BalanceReading[],
  within: ReadonlySet<BalanceItem>,
): ReadonlyMap<string, CurrencyTotal> {
  const sums = new Map(totals);
  for (const { item } of readings) {
    const { currency, position, lenders, global } = item;
    const line = lenders.find(({ lender }) => lender.id === position?.lenderId)?.balance ?? global;
    const own = within.has(item) ? { ...line, ...NOT_COUNTED } : line;
    const before = sums.get(currency) ?? { currency, count: 0, balance: ZERO_BALANCE };
    const balance = addTotals(before.balance, own);
    sums.set(currency, { currency, count: before.count + 1, balance, withAccruals: true });
  }
  return sums;
}
