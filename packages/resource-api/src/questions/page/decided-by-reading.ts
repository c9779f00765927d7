import {
  type AnySort,
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  isComputed,
  LEVELS,
  type Level,
  NO_FILTER,
  type PageEnd,
  type PageRequest,
  pastDueTo,
  type ReaderAccess,
} from '../ask/balance-store.ts';
import { askedFilters, type FilterName } from '../ask/filters.ts';
import type { ResolvedSnapshot } from '../ask/snapshot.ts';
import { computedPage } from './computed-order.ts';
import type { BalanceReading } from './read-balances.ts';

/** Most items that a page reads to find those that pass. */
const READ_FOR_PAGE = 2_000;
const READ_AT_ONCE = 1_000;

/** A filter for which the store finds too much: the reading of each item decides. */
interface DecidedByReading {
  readonly levels: readonly Level[];
  passes(reading: BalanceReading): boolean;
  /** What the store is asked for. */
  candidates?(snapshot: ResolvedSnapshot): Partial<BalanceFilter>;
}

/** What was reported before, and what is past due to a lender, are worked out and not looked up. */
const DECIDED_BY_READING: Readonly<Partial<Record<FilterName, DecidedByReading>>> = {
  pastDue: {
    levels: ['position'],
    passes: ({ item: { position }, pastDue }) => pastDueTo(position?.lenderId, pastDue) > 0n,
  },
  restated: {
    levels: LEVELS,
    passes: ({ former }) => former !== undefined,
    candidates: ({ reportedSeq }) => ({ changedAfter: reportedSeq }),
  },
};

function deciders(filter: BalanceFilter, level: Level): readonly DecidedByReading[] {
  return askedFilters(filter).flatMap((name) => {
    const reading = DECIDED_BY_READING[name];
    return reading?.levels.includes(level) ? [reading] : [];
  });
}

export function isDecidedByReading(filter: BalanceFilter, level: Level): boolean {
  return deciders(filter, level).length > 0;
}

export interface DecidedRequest extends Pick<PageRequest, 'level' | 'filter'> {
  readonly snapshot: ResolvedSnapshot;
}

/** What the store is asked for, and whether the reading of an item that it finds passes. */
function candidatesOf({ level, filter, snapshot }: DecidedRequest) {
  const decided = deciders(filter, level);
  const asked = decided.map((each) => each.candidates?.(snapshot));
  const candidates: BalanceFilter = Object.assign({}, filter, ...asked);
  const passes = (reading: BalanceReading) => decided.every((each) => each.passes(reading));
  return { filter: candidates, passes };
}

interface PassingRequest extends DecidedRequest, Pick<PageRequest, 'after' | 'limit'> {
  readonly sort: AnySort | undefined;
}

export interface PassingPage {
  readonly readings: readonly BalanceReading[];
  readonly next: PageEnd | undefined;
}

export type ReadItems = (items: readonly BalanceItem[]) => Promise<readonly BalanceReading[]>;

/** A page: short where reading decides, and few of the items that are read for it pass. */
export async function readPassing(
  store: BalanceStore,
  access: ReaderAccess,
  request: PassingRequest,
  read: ReadItems,
): Promise<PassingPage> {
  const { limit, sort } = request;
  const { filter, passes } = candidatesOf(request);
  const found: BalanceReading[] = [];
  let after = request.after;
  let step = limit;
  for (let looked = 0; ; ) {
    const asked = { ...request, filter, after, limit: step };
    const { items, next } =
      sort !== undefined && isComputed(sort)
        ? await computedPage(store, access, { ...asked, sort })
        : await store.page(access, { ...asked, sort });
    const readings = await read(items);
    found.push(...readings.filter(passes));
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

/**
 * A filter that the store decides alone: by the keys of the items that pass.
 *
 * @param most items that may be read for it
 * @returns undefined where there would be more
 */
export async function decidedFilter(
  store: BalanceStore,
  access: ReaderAccess,
  request: DecidedRequest,
  read: ReadItems,
  most: number,
): Promise<BalanceFilter | undefined> {
  const { level, filter, snapshot } = request;
  if (!isDecidedByReading(filter, level)) return filter;
  const { filter: found, passes } = candidatesOf(request);
  const asked = { level, filter: found, snapshot, sort: undefined, limit: READ_AT_ONCE };
  const itemKeys: bigint[] = [];
  let after: PageEnd | undefined;
  let looked = 0;
  do {
    const { items, next } = await store.page(access, { ...asked, after });
    looked += items.length;
    if (looked > most) return undefined;
    const readings = await read(items);
    const passing = readings.filter(passes);
    itemKeys.push(...passing.map(({ item }) => item.end.key));
    after = next;
  } while (after !== undefined);
  return { ...NO_FILTER, includeZero: true, itemKeys };
}
