import {
  type AnySort,
  type BalanceFilter,
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
import { type BalanceReading, type ItemContext, itemPages, readItems } from './read-items.ts';

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

/** What the store is asked for, and whether the reading of an item that it finds passes. */
function candidatesOf({ question: { level }, snapshot }: ItemContext, filter: BalanceFilter) {
  const decided = deciders(filter, level);
  const asked = decided.map((each) => each.candidates?.(snapshot));
  const candidates: BalanceFilter = Object.assign({}, filter, ...asked);
  const passes = (reading: BalanceReading) => decided.every((each) => each.passes(reading));
  return { filter: candidates, passes };
}

interface PassingRequest extends Pick<PageRequest, 'filter' | 'after' | 'limit'> {
  readonly sort: AnySort | undefined;
}

export interface PassingPage {
  readonly readings: readonly BalanceReading[];
  readonly next: PageEnd | undefined;
}

/** A page: short where reading decides, and few of the items that are read for it pass. */
export async function readPassing(
  store: BalanceStore,
  context: ItemContext,
  request: PassingRequest,
): Promise<PassingPage> {
  const { access, question, snapshot } = context;
  const { limit, sort } = request;
  const { filter, passes } = candidatesOf(context, request.filter);
  const found: BalanceReading[] = [];
  let after = request.after;
  let step = limit;
  for (let looked = 0; ; ) {
    const asked = { level: question.level, snapshot, filter, after, limit: step };
    const { items, next } =
      sort !== undefined && isComputed(sort)
        ? await computedPage(store, access, { ...asked, sort })
        : await store.page(access, { ...asked, sort });
    const readings = await readItems(store, context, items);
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
  context: ItemContext,
  filter: BalanceFilter,
  most: number,
): Promise<BalanceFilter | undefined> {
  const { access, question, snapshot } = context;
  const { level } = question;
  if (!isDecidedByReading(filter, level)) return filter;
  const { filter: found, passes } = candidatesOf(context, filter);
  const asked = { level, filter: found, snapshot, limit: READ_AT_ONCE };
  const itemKeys: bigint[] = [];
  let looked = 0;
  for await (const items of itemPages(store, access, asked)) {
    looked += items.length;
    if (looked > most) return undefined;
    const passing = (await readItems(store, context, items)).filter(passes);
    itemKeys.push(...passing.map(({ item }) => item.end.key));
  }
  return { ...NO_FILTER, includeZero: true, itemKeys };
}

/** The same, however many items have to be read for it. */
export async function storesFilter(
  store: BalanceStore,
  access: ReaderAccess,
  {
    level,
    filter,
    snapshot,
  }: Pick<PageRequest, 'level' | 'filter'> & Pick<ItemContext, 'snapshot'>,
): Promise<BalanceFilter> {
  const context = { access, question: { level, fromDate: undefined }, snapshot };
  const decided = await decidedFilter(store, context, filter, Number.POSITIVE_INFINITY);
  // Without a bound there is always one.
  return decided ?? filter;
}
