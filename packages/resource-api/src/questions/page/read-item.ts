import type { Caller } from '@cls/shared/access/caller';
import {
  type BalanceStore,
  type DealFacts,
  FIRST,
  type ItemName,
  NO_FILTER,
} from '../ask/balance-store.ts';
import type { ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import {
  accessOf,
  type BalancePage,
  type BalanceQuestion,
  type ReadBalances,
  readShown,
} from './read-balances.ts';
import { type BalanceReading, readItems } from './read-items.ts';

/** What a question about one item or one deal says besides its name. */
export type SingleQuestion = Omit<
  BalanceQuestion,
  'filter' | 'sort' | 'limit' | 'totals' | 'position' | 'canonical'
>;

export interface ItemAnswer {
  /** What the item is presented with, as on a page of the list. */
  readonly page: Pick<BalancePage, 'question' | 'filter' | 'snapshot' | 'rates'>;
  readonly reading: BalanceReading;
}

/** Undefined where the caller sees no such item. @throws {Refusal} of the question's times. */
export type ReadItem = (
  caller: Caller,
  name: ItemName,
  question: SingleQuestion,
) => Promise<ItemAnswer | undefined>;

export function itemReader(store: BalanceStore, times: Snapshots): ReadItem {
  return async (caller, name, asked) => {
    const access = accessOf(caller);
    const question = { ...asked, ...WHOLE, filter: NO_FILTER, limit: 1 };
    const snapshot = await times.resolve(question, access);
    const item = await store.item(access, name, snapshot);
    if (item === undefined) return undefined;
    const filter = { ...NO_FILTER, includeZero: true };
    const context = { access, question, snapshot, filter };
    const found = readItems(store, context, [item]);
    const { readings, rates } = await readShown(store, times, context, found);
    const [reading] = readings;
    return reading && { page: { question, filter, snapshot, rates }, reading };
  };
}

const WHOLE = { sort: undefined, totals: 'none', position: undefined, canonical: '' } as const;

export interface DealAnswer {
  /** With full control the only role is `full`. */
  readonly deal: DealFacts;
  readonly snapshot: ResolvedSnapshot;
  /** One item per currency. */
  readonly balances: BalancePage;
  /** The first of them, zero or not. */
  readonly facilities: BalancePage;
}

/** Facilities of a deal that are told with it. */
const FACILITIES_TOLD = 100;

/** Undefined where the caller sees no such deal. @throws {Refusal} of the question's times. */
export type ReadDeal = (
  caller: Caller,
  id: string,
  question: Omit<SingleQuestion, 'level'>,
) => Promise<DealAnswer | undefined>;

/** A deal with its items as the list has them, in one state of knowledge. */
export function dealReader(
  store: BalanceStore,
  times: Snapshots,
  readBalances: ReadBalances,
): ReadDeal {
  return async (caller, id, question) => {
    const access = accessOf(caller);
    const snapshot = await times.resolve(question, access);
    const found = await store.deal(access, id, snapshot);
    if (found === undefined) return undefined;
    const deal = 'fullControl' in access ? { ...found, roles: ['full'] } : found;
    const whole = {
      ...question,
      ...WHOLE,
      filter: { ...NO_FILTER, dealIds: [id], includeZero: true },
      limit: FACILITIES_TOLD,
      position: { ...snapshot, after: FIRST },
    };
    const [balances, facilities] = await Promise.all([
      readBalances(caller, { ...whole, level: 'deal', expand: new Set() }),
      readBalances(caller, { ...whole, level: 'facility' }),
    ]);
    return { deal, snapshot, balances, facilities };
  };
}
