import type { Caller } from '@cls/shared/access/caller';
import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  type CurrencyTotal,
  type Level,
  NO_FILTER,
} from '../ask/balance-store.ts';
import type { ComparedTimes, ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import {
  accessOf,
  type BalancePage,
  type BalanceQuestion,
  readShown,
} from '../page/read-balances.ts';
import { type BalanceReading, everyItem, readItems } from '../page/read-items.ts';

/** What a page of a list is compared with. */
export interface ComparedPage {
  /** What the items are presented with. */
  readonly page: Pick<BalancePage, 'question' | 'filter' | 'snapshot' | 'rates'>;
  /** The items as they were, and other currencies of their deals; what was not there is absent. */
  readonly readings: readonly BalanceReading[];
  /** Of what the same filters found then. */
  readonly totals: readonly CurrencyTotal[] | undefined;
}

export interface ComparedRequest {
  readonly compare: ComparedTimes;
  readonly question: BalanceQuestion;
  /** The question's, with external ids resolved. */
  readonly filter: BalanceFilter;
  /** The answer's own. */
  readonly snapshot: ResolvedSnapshot;
  readonly items: readonly Pick<BalanceItem, 'end' | 'deal'>[];
}

/**
 * The items of an answer at other times, whatever its filters would find of them there, and the totals
 * of what they find there. Undefined before the book, where there was nothing.
 *
 * @throws {Refusal} of the other times.
 */
export type ReadCompared = (
  caller: Caller,
  request: ComparedRequest,
) => Promise<ComparedPage | undefined>;

export function comparedReader(store: BalanceStore, times: Snapshots): ReadCompared {
  return async (caller, { compare, question, filter, snapshot: answer, items }) => {
    const access = accessOf(caller);
    const snapshot = await times.compared(compare, access, answer, question);
    if (snapshot === undefined) return undefined;
    const { level } = question;
    const itemsThen = async (): Promise<readonly BalanceItem[]> => {
      if (items.length === 0) return [];
      const only = { ...NO_FILTER, includeZero: true, ...namedBy(items, level) };
      return everyItem(store, access, { level, filter: only, snapshot, limit: items.length });
    };
    const context = { access, question, snapshot, filter };
    const found = itemsThen().then((then) => readItems(store, context, then));
    const { readings, totals, rates } = await readShown(store, times, context, found);
    return { page: { question, filter, snapshot, rates }, readings, totals };
  };
}

/** The key of a deal's item is that of the first facility which the book had, another at another time. */
function namedBy(items: ComparedRequest['items'], level: Level): Partial<BalanceFilter> {
  return level === 'deal'
    ? { dealIds: [...new Set(items.map(({ deal }) => deal.id))] }
    : { itemKeys: items.map(({ end }) => end.key) };
}
