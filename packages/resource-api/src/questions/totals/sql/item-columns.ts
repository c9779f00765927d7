import { groupBy } from '@cls/shared/group-by';
import { TOTAL_COMPONENTS } from '../../../ledger/balance.ts';
import type { BookedTotal, FilterRequest, MarkedItem } from '../../ask/balance-store.ts';
import { COUNTED_ONCE } from '../../ask/counted-once.ts';
import { oncePerKey } from '../../ask/once-per-key.ts';
import { historyTests, type ItemsOn } from '../../ask/sql/filter-sql.ts';
import {
  balanceOf,
  type Dated,
  type DealItems,
  dayOf,
  type ItemHistory,
  NO_AMOUNTS,
  type Sums,
} from './item-history.ts';

/** A place that no array has. */
const NOWHERE = -1;

/** Values with days, of many things one after the other. */
interface DatedColumn<Value> {
  /** The place of the first value of each thing, and last the end. */
  readonly starts: number[];
  readonly days: number[];
  readonly values: Value[];
}

/**
 * Items of deals with what they come to on all dates, side by side. A question goes through arrays
 * from their beginning to their end: to follow references from item to item takes three times as long.
 */
interface ItemColumns {
  /** Key of the deals without their last bits. */
  readonly group: bigint;
  readonly deals: readonly DealItems[];
  /** Currencies, statuses, countries and types of facilities; columns have their places here. */
  readonly words: readonly string[];
  readonly items: readonly ItemHistory[];
  /** Of the deal of the item. */
  readonly countries: DatedColumn<number>;
  /** Something in the deal of the item may accrue. */
  readonly rated: readonly boolean[];
  /** The place of the item whose commitment a sublimit is part of; `NOWHERE` where there is none. */
  readonly wholes: readonly number[];
  readonly currencies: readonly number[];
  readonly statuses: DatedColumn<number>;
  /** Types of the facilities, by the keys of the records. */
  readonly records: DatedColumn<number>;
  /** What is outstanding; undefined where the item is zero. */
  readonly outstanding: DatedColumn<bigint | undefined>;
  /** Of `TOTAL_COMPONENTS`, for each place of `outstanding`. */
  readonly amounts: readonly bigint[];
}

/** What a reader sees of the items of some deals. */
export interface SeenColumns {
  readonly columns: ItemColumns;
  /** Of each item. */
  readonly isSeen: readonly boolean[];
}

/** After a journal of a deal, the columns of those with the same key but for so many bits are made anew. */
const GROUP_BITS = 8n;

/** @param before columns of an earlier state of the book: those whose deals did not change are used again */
export function seenColumns(
  deals: readonly DealItems[],
  items: ReadonlySet<bigint>,
  before: readonly SeenColumns[],
): readonly SeenColumns[] {
  const groups = groupBy(deals, ({ key }) => key >> GROUP_BITS);
  const known = new Map(before.map(({ columns }) => [columns.group, columns]));
  return [...groups].map(([group, ofGroup]) => {
    const earlier = known.get(group);
    const isSame =
      earlier?.deals.length === ofGroup.length &&
      earlier.deals.every((deal, index) => deal === ofGroup[index]);
    const columns = isSame ? earlier : itemColumns(group, ofGroup);
    return { columns, isSeen: columns.items.map(({ key }) => items.has(key)) };
  });
}

function itemColumns(group: bigint, deals: readonly DealItems[]): ItemColumns {
  const places = new Map<string, number>();
  const placeOf = (word: string): number => {
    const known = places.get(word);
    if (known !== undefined) return known;
    places.set(word, places.size);
    return places.size - 1;
  };
  const items = deals.flatMap((deal) => deal.items);
  const ofTypes = items.map(({ records }) => ({
    from: records.map(({ since }) => since),
    values: records.map(({ facilityType }) => facilityType),
  }));
  const sums = items.map((item) => item.sums);
  return {
    group,
    deals,
    items,
    countries: toColumn(
      deals.flatMap((deal) => deal.items.map(() => deal.countries)),
      placeOf,
    ),
    rated: deals.flatMap((deal) => deal.items.map(() => deal.rated)),
    wholes: wholesOf(items),
    currencies: items.map(({ currency }) => placeOf(currency)),
    statuses: toColumn(
      items.map((item) => item.statuses),
      placeOf,
    ),
    records: toColumn(ofTypes, placeOf),
    outstanding: toColumn(sums, (each: Sums) => (each.isZero ? undefined : each.outstanding)),
    amounts: amountsOf(sums),
    words: [...places.keys()],
  };
}

function toColumn<Told, Value>(
  all: readonly Dated<Told>[],
  toValue: (told: Told) => Value,
): DatedColumn<Value> {
  const column: DatedColumn<Value> = { starts: [0], days: [], values: [] };
  for (const { from, values } of all) {
    for (const day of from) column.days.push(day);
    for (const value of values) column.values.push(toValue(value));
    column.starts.push(column.days.length);
  }
  return column;
}

function amountsOf(all: readonly Dated<Sums>[]): readonly bigint[] {
  const column: bigint[] = [];
  for (const { values } of all) {
    for (const { amounts } of values) for (const amount of amounts) column.push(amount);
  }
  return column;
}

function wholesOf(items: readonly ItemHistory[]): readonly number[] {
  const wholes = new Map<string, number>();
  if (items.some(({ isSublimit }) => isSublimit)) {
    for (const [place, { isSublimit, whole }] of items.entries()) {
      if (!isSublimit) wholes.set(whole, place);
    }
  }
  return items.map(({ isSublimit, whole }) =>
    isSublimit ? (wholes.get(whole) ?? NOWHERE) : NOWHERE,
  );
}

/** The place of the newest value of a thing on a day; `NOWHERE` before its first one. */
function placeOn({ starts, days }: DatedColumn<unknown>, thing: number, day: number): number {
  const start = starts[thing] ?? 0;
  let [low, high] = [start, starts[thing + 1] ?? 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((days[middle] ?? 0) <= day) low = middle + 1;
    else high = middle;
  }
  return low === start ? NOWHERE : low - 1;
}

/** The place of the first value of a thing whose day has come; `NOWHERE` where there is none. */
function firstBy({ starts, days }: DatedColumn<unknown>, thing: number, day: number): number {
  const end = starts[thing + 1] ?? 0;
  for (let place = starts[thing] ?? 0; place < end; place += 1) {
    if ((days[place] ?? 0) <= day) return place;
  }
  return NOWHERE;
}

type At = Pick<FilterRequest, 'filter' | 'snapshot'>;

function itemsOn(columns: ItemColumns, day: number): ItemsOn {
  const { words, countries, currencies, statuses, records, outstanding } = columns;
  const places = { country: placeOn, facilityType: firstBy, status: placeOn };
  const dated = { country: countries, facilityType: records, status: statuses };
  return {
    are(column, asked) {
      const isAsked = words.map((word) => asked.includes(word));
      if (column === 'currency') return (item) => isAsked[currencies[item] ?? NOWHERE] === true;
      const [own, placeOf] = [dated[column], places[column]];
      return (item) => isAsked[own.values[placeOf(own, item, day)] ?? NOWHERE] === true;
    },
    outstandingOf: (item) => outstanding.values[placeOn(outstanding, item, day)] ?? 0n,
  };
}

/** Of each item its place in `outstanding` as of a date; `NOWHERE` where it is zero or left out. */
function livingPlaces(
  { columns, isSeen }: SeenColumns,
  { filter, snapshot: { asOf } }: At,
): Int32Array {
  const { items, records, outstanding } = columns;
  const day = dayOf(asOf);
  const tests = historyTests(filter, itemsOn(columns, day));
  const livingPlace = (item: number): number => {
    if (!isSeen[item]) return NOWHERE;
    for (const passes of tests) if (!passes(item)) return NOWHERE;
    const place = placeOn(outstanding, item, day);
    const lives =
      outstanding.values[place] !== undefined && firstBy(records, item, day) !== NOWHERE;
    return lives ? place : NOWHERE;
  };
  const places = new Int32Array(items.length);
  for (let item = 0; item < places.length; item += 1) places[item] = livingPlace(item);
  return places;
}

const COMPONENTS = TOTAL_COMPONENTS.length;

/** What items come to as of a date, and with them what others come to. */
export function totalsOn(
  seen: readonly SeenColumns[],
  at: At,
  others: readonly BookedTotal[] = [],
): readonly BookedTotal[] {
  const totals = new Map<string, Total>(
    others.map(({ currency, count, balance }) => [
      currency,
      { count, amounts: TOTAL_COMPONENTS.map((name) => balance[name]) },
    ]),
  );
  for (const each of seen) addLiving(totals, each.columns, livingPlaces(each, at));
  const told = [...totals].map(([currency, { count, amounts }]) => ({
    currency,
    count,
    balance: balanceOf(amounts),
  }));
  return told.sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

interface Total {
  count: number;
  readonly amounts: bigint[];
}

function addLiving(totals: Map<string, Total>, columns: ItemColumns, places: Int32Array): void {
  const { words, wholes, currencies, amounts } = columns;
  const isCountedOnce = TOTAL_COMPONENTS.map((name) => COUNTED_ONCE.includes(name));
  const totalOf = oncePerKey((word: number) => {
    const currency = words[word] ?? '';
    const total = totals.get(currency) ?? { count: 0, amounts: [...NO_AMOUNTS] };
    totals.set(currency, total);
    return total;
  });
  for (let item = 0; item < places.length; item += 1) {
    const place = places[item] ?? NOWHERE;
    if (place === NOWHERE) continue;
    const total = totalOf(currencies[item] ?? NOWHERE);
    total.count += 1;
    const isPart = (places[wholes[item] ?? NOWHERE] ?? NOWHERE) !== NOWHERE;
    for (let index = 0; index < COMPONENTS; index += 1) {
      const amount = amounts[place * COMPONENTS + index] ?? 0n;
      // Most amounts are zero; adding them would take most of the time.
      if (amount === 0n || (isPart && isCountedOnce[index])) continue;
      total.amounts[index] = (total.amounts[index] ?? 0n) + amount;
    }
  }
}

/** The items as of a date of deals in which something may accrue. */
export function ratedOn(seen: readonly SeenColumns[], at: At): readonly MarkedItem[] {
  const day = dayOf(at.snapshot.asOf);
  return seen.flatMap((each) => {
    const { items, rated } = each.columns;
    if (!rated.includes(true)) return [];
    const places = livingPlaces(each, at);
    return items.flatMap((item, index) => {
      if (!rated[index] || places[index] === NOWHERE) return [];
      const { currency, holder } = item;
      const record = item.records.find(({ since }) => since <= day);
      return record === undefined ? [] : [{ key: record.key, currency, holder, group: null }];
    });
  });
}
