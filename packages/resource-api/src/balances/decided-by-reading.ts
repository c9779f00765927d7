import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  type Level,
  NO_FILTER,
  type PageEnd,
  type PageRequest,
  type ReaderAccess,
} from './balance-store.ts';
import type { BalanceReading } from './read-balances.ts';
import type { ResolvedSnapshot } from './snapshot.ts';
import { type OrderedRequest, orderedPage } from './worked-out-order.ts';

/** Most items that a page reads to find those that pass. */
const READ_FOR_PAGE = 2_000;
const READ_AT_ONCE = 1_000;

/**
 * Whether the store finds more than what the filter asks, and the reading of each item decides. What
 * was reported before, and what is past due of a lender, are worked out and not looked up.
 */
export function isDecidedByReading({ restated, pastDue }: BalanceFilter, level: Level): boolean {
  return restated === true || (pastDue === true && level === 'position');
}

export interface DecidedRequest extends Pick<PageRequest, 'level' | 'filter'> {
  readonly snapshot: ResolvedSnapshot;
}

/** What the store is asked for: of what is restated, what a journal may have changed since then. */
function forStore({ filter, snapshot }: DecidedRequest): BalanceFilter {
  return filter.restated ? { ...filter, changedAfter: snapshot.reportedSeq } : filter;
}

function passes(
  { item, pastDue, former }: BalanceReading,
  { restated, pastDue: late }: BalanceFilter,
): boolean {
  if (restated && former === undefined) return false;
  const { position } = item;
  if (!late || position === null) return true;
  const own = pastDue.find(({ lenderId }) => lenderId === position.lenderId);
  return own !== undefined && own.principal + own.interest + own.fees > 0n;
}

export interface PassingPage {
  readonly readings: readonly BalanceReading[];
  readonly next: PageEnd | undefined;
}

type ReadItems = (items: readonly BalanceItem[]) => Promise<readonly BalanceReading[]>;

/** A page of what reading decides: short where few of the items that are read for it pass. */
export async function readPassing(
  store: BalanceStore,
  access: ReaderAccess,
  request: OrderedRequest & DecidedRequest,
  read: ReadItems,
): Promise<PassingPage> {
  const { filter, limit } = request;
  const asked = { ...request, filter: forStore(request) };
  const found: BalanceReading[] = [];
  let after = request.after;
  let step = limit;
  for (let looked = 0; ; ) {
    const { items, next } = await orderedPage(store, access, { ...asked, after, limit: step });
    const readings = await read(items);
    found.push(...readings.filter((reading) => passes(reading, filter)));
    if (found.length > limit) {
      const readings = found.slice(0, limit);
      return { readings, next: readings.at(-1)?.item.end };
    }
    looked += items.length;
    const isShort = items.length < step || looked >= READ_FOR_PAGE || found.length === limit;
    if (next === undefined || isShort) return { readings: found, next };
    after = next;
    // Where few pass, a short page would take many questions.
    step = Math.min(step * 2, READ_AT_ONCE);
  }
}

/** A filter that the store decides alone: by the keys of the items that pass. */
export function decidedFilter(
  store: BalanceStore,
  access: ReaderAccess,
  request: DecidedRequest,
  read: ReadItems,
): Promise<BalanceFilter>;
/**
 * @param most items that may be read for it
 * @returns undefined where there would be more
 */
export function decidedFilter(
  store: BalanceStore,
  access: ReaderAccess,
  request: DecidedRequest,
  read: ReadItems,
  most: number | undefined,
): Promise<BalanceFilter | undefined>;
export async function decidedFilter(
  store: BalanceStore,
  access: ReaderAccess,
  request: DecidedRequest,
  read: ReadItems,
  most?: number,
): Promise<BalanceFilter | undefined> {
  const { level, filter, snapshot } = request;
  if (!isDecidedByReading(filter, level)) return filter;
  const asked = {
    level,
    filter: forStore(request),
    snapshot,
    sort: undefined,
    limit: READ_AT_ONCE,
  };
  const itemKeys: bigint[] = [];
  let after: PageEnd | undefined;
  let looked = 0;
  do {
    const { items, next } = await store.page(access, { ...asked, after });
    looked += items.length;
    if (most !== undefined && looked > most) return undefined;
    const readings = await read(items);
    const passing = readings.filter((reading) => passes(reading, filter));
    itemKeys.push(...passing.map(({ item }) => item.end.key));
    after = next;
  } while (after !== undefined);
  return { ...NO_FILTER, includeZero: true, itemKeys };
}
