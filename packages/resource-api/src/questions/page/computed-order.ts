import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import { workByKey } from '../accruals/accruals.ts';
import {
  type BalanceStore,
  type ComputedSort,
  type FilterRequest,
  type ItemPage,
  isAmountSort,
  LEVELS,
  type Level,
  type MarkedItem,
  type PageEnd,
  type PageRequest,
  pastDueTo,
  type ReaderAccess,
  type Snapshot,
  type ValuedItem,
} from '../ask/balance-store.ts';

/** Most items that are sorted for a page, and of these most whose value is worked out in Node. */
const SORTED = 20_000;
const ADDED_TO = 2_000;

/**
 * A page in an order that follows from dates as well as from postings, and is not stored: the values of
 * all items of the filter are read and sorted, as long as they are not too many.
 *
 * @throws {Refusal} where they are
 */
export async function computedPage(
  store: BalanceStore,
  access: ReaderAccess,
  request: Omit<PageRequest, 'sort'> & { readonly sort: ComputedSort },
): Promise<ItemPage> {
  const { level, filter, snapshot, sort, after, limit } = request;
  const asked = { level, filter, snapshot, narrowing: {} };
  const booked = await store.valuesOf(access, { ...asked, by: sort.by }, SORTED);
  if (booked === undefined) throw tooMany(sort, SORTED);
  const added = await additions(store, access, asked, sort);
  const values = booked
    .map(
      // What is no amount is compared across currencies.
      ({ key, currency, value }): ValuedItem => ({
        key,
        currency: isAmountSort(sort.by) ? currency : '',
        value: value + (added.get(key) ?? 0n),
      }),
    )
    .sort((a, b) => ordered(a, b, sort));
  const last = after && valuedOf(after);
  const start = last === undefined ? 0 : values.findIndex((one) => ordered(one, last, sort) > 0);
  const found = start === -1 ? [] : values.slice(start, start + limit + 1);
  const ends = found
    .slice(0, limit)
    .map(
      ({ key, currency, value }): PageEnd => ({ key, sortValue: `${currency} ${value}`.trim() }),
    );
  const items = await store.itemsOf(access, level, ends, snapshot);
  return { items, next: found.length > limit ? ends.at(-1) : undefined };
}

function valuedOf({ key, sortValue }: PageEnd): ValuedItem {
  const [, currency = '', value = '0'] = /^(?:([A-Z]{3}) )?(-?\d+)$/.exec(sortValue ?? '') ?? [];
  return { key, currency, value: BigInt(value) };
}

/** By currency, then by value; the same ones by key, whatever the direction. */
function ordered(a: ValuedItem, b: ValuedItem, { descending }: ComputedSort): number {
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1;
  if (a.value === b.value) return a.key < b.key ? -1 : Number(a.key > b.key);
  return a.value < b.value === descending ? 1 : -1;
}

/** What no statement can tell: what accrues, and a lender's part of what is past due. */
interface Addition {
  readonly levels: readonly Level[];
  /** The items that have some. */
  readonly of: 'accruing' | 'owing';
  amounts(
    store: BalanceStore,
    items: readonly MarkedItem[],
    level: Level,
    snapshot: Snapshot,
  ): Promise<(item: MarkedItem) => bigint | undefined>;
}

const ADDITIONS: Readonly<Partial<Record<ComputedSort['by'], Addition>>> = {
  interestAccrued: {
    levels: LEVELS,
    of: 'accruing',
    async amounts(store, items, level, snapshot) {
      const found = await workByKey(items, (keys) => store.accrualAmountsOf(level, keys, snapshot));
      return ({ key, holder }) => found.get(key)?.get(holder)?.get('interest_accrued');
    },
  },
  pastDue: {
    levels: ['position'],
    of: 'owing',
    async amounts(store, items, level, snapshot) {
      const found = await workByKey(items, (keys) => store.pastDueOf(level, keys, snapshot));
      return ({ key, holder }) => pastDueTo(holder, found.get(key));
    },
  },
};

async function additions(
  store: BalanceStore,
  access: ReaderAccess,
  asked: FilterRequest,
  sort: ComputedSort,
): Promise<ReadonlyMap<bigint, bigint>> {
  const { level, snapshot } = asked;
  const addition = ADDITIONS[sort.by];
  if (!addition?.levels.includes(level)) return new Map();
  const items = await store[addition.of](access, { ...asked, limit: ADDED_TO });
  if (items.length > ADDED_TO) throw tooMany(sort, ADDED_TO);
  const amountOf = await addition.amounts(store, items, level, snapshot);
  return new Map(items.map((item) => [item.key, amountOf(item) ?? 0n]));
}

function tooMany({ by, descending }: ComputedSort, most: number) {
  const which = most === SORTED ? 'items' : 'items in which it is worked out';
  const message = `${by} sorts at most ${most} ${which}: narrow the question by filters`;
  const received = `${descending ? '-' : ''}${by}`;
  return parameterRefusal([{ parameter: 'sort', code: 'contradictory', message, received }]);
}
