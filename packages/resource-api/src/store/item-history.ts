import type {
  BalanceFilter,
  BookedTotal,
  FilterRequest,
  MarkedItem,
} from '../balances/balance-store.ts';
import { outstandingPrincipal, TOTAL_COMPONENTS, type TotalBalance } from '../ledger/balance.ts';
import type { BusinessDate } from '../ledger/business-date.ts';

/** A row of `itemHistoriesStatement`. Only `deal`, `rated` and `countries` where a deal has no items. */
export interface ItemHistoryRow {
  readonly deal: bigint;
  readonly rated: boolean;
  readonly countries: string;
  readonly key: bigint | null;
  readonly currency: string;
  readonly facility: bigint;
  readonly sublimit_of: bigint | null;
  /** Key, date since which the book has it, and type of the facility, of each record by their keys. */
  readonly records: string;
  readonly holder: string;
  readonly statuses: string;
  /** Of each line: date, whether anything of it is not zero, and amounts. */
  readonly lines: string | null;
}

/** Values, each from its date on. */
type Dated<Value> = readonly { readonly from: string; readonly value: Value }[];

/** What an item comes to. */
interface Sums {
  readonly isZero: boolean;
  readonly outstanding: bigint;
  /** Of `TOTAL_COMPONENTS`. */
  readonly amounts: readonly bigint[];
}

/** A record that is the item from a date on, while none before it is. */
interface ItemRecord {
  readonly key: bigint;
  readonly since: string;
  readonly facilityType: string;
}

interface ItemHistory {
  /** Of the deal at level deal, where each of its facilities may stand for it. */
  readonly key: bigint;
  readonly records: readonly ItemRecord[];
  readonly currency: string;
  /** The lender of a position, by its id. */
  readonly holder: string;
  /** Empty where the item is zero on all days. */
  readonly sums: Dated<Sums>;
  readonly statuses: Dated<string>;
  /** The facility whose commitment it is part of, or which it is, with its holder. */
  readonly whole: string;
  readonly isSublimit: boolean;
}

/** The items of a deal that were not zero on some day. */
export interface DealItems {
  /** Something in the deal may accrue. */
  readonly rated: boolean;
  readonly countries: Dated<string>;
  readonly items: readonly ItemHistory[];
}

/** @returns the deal's items, and how many facts they hold */
export function toDealItems(rows: readonly ItemHistoryRow[]): {
  readonly history: DealItems;
  readonly facts: number;
} {
  const items = rows.flatMap((row) => toItem(row) ?? []);
  const facts = items.reduce((sum, { sums, statuses }) => sum + sums.length + statuses.length, 1);
  const [{ rated = false, countries = '' } = {}] = rows;
  return { history: { rated, countries: toDated(countries), items }, facts };
}

function toItem(row: ItemHistoryRow): ItemHistory | undefined {
  if (row.key === null) return undefined;
  const sums = sumsOf(row.lines ?? '');
  if (sums.length === 0) return undefined;
  const { key, currency, holder, sublimit_of: around } = row;
  const whole = `${around ?? row.facility} ${holder}`;
  const [records, statuses] = [row.records.split(',').map(toRecord), toDated(row.statuses)];
  return { key, records, currency, holder, sums, statuses, whole, isSublimit: around !== null };
}

function toRecord(text: string): ItemRecord {
  const [key = '', since = '', facilityType = ''] = text.split(' ');
  return { key: BigInt(key), since, facilityType };
}

function toDated(text: string): Dated<string> {
  return text.split(',').map((each) => {
    const [from = '', value = ''] = each.split(' ');
    return { from, value };
  });
}

const NO_AMOUNTS: readonly bigint[] = TOTAL_COMPONENTS.map(() => 0n);
const NOTHING: Sums = { isZero: true, outstanding: 0n, amounts: NO_AMOUNTS };

/** What lines come to together. */
function sumsOf(lines: string): Dated<Sums> {
  const changes = lines.split('/').flatMap(changesOf);
  changes.sort((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
  const dated: { from: string; value: Sums }[] = [];
  let [amounts, notZero] = [NO_AMOUNTS, 0];
  for (const { from, value } of changes) {
    amounts = amounts.map((amount, index) => amount + (value.amounts[index] ?? 0n));
    notZero += value.notZero;
    const outstanding = outstandingPrincipal(balanceOf(amounts));
    const sums = notZero === 0 ? NOTHING : { isZero: false, outstanding, amounts };
    if (dated.at(-1)?.from === from) dated.pop();
    if (!isSame(dated.at(-1)?.value ?? NOTHING, sums)) dated.push({ from, value: sums });
  }
  return dated;
}

/** How a line changes from one of its dates to the next. */
function changesOf(line: string) {
  if (line === '') return [];
  let before = { amounts: NO_AMOUNTS, notZero: 0 };
  return line.split(',').map((step) => {
    const [from = '', notZero, ...told] = step.split(' ');
    const now = { amounts: told.map(BigInt), notZero: Number(notZero) };
    const value = {
      amounts: now.amounts.map((amount, index) => amount - (before.amounts[index] ?? 0n)),
      notZero: now.notZero - before.notZero,
    };
    before = now;
    return { from, value };
  });
}

function isSame(one: Sums, other: Sums): boolean {
  return (
    one.isZero === other.isZero &&
    one.amounts.every((amount, index) => amount === other.amounts[index])
  );
}

/** Undefined before the first date. */
function valueAsOf<Value>(dated: Dated<Value>, asOf: BusinessDate): Value | undefined {
  let [low, high] = [0, dated.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((dated[middle]?.from ?? '') <= asOf) low = middle + 1;
    else high = middle;
  }
  return dated[low - 1]?.value;
}

/** Filters that histories decide. */
const DECIDED: readonly string[] = [
  'currencies',
  'statuses',
  'countries',
  'facilityTypes',
  'minOutstandingMinor',
  'maxOutstandingMinor',
] satisfies readonly (keyof BalanceFilter)[];

/** Whether histories tell which items a filter leaves. */
export function isToldByHistories(filter: BalanceFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) =>
      DECIDED.includes(name) || !value || (Array.isArray(value) && value.length === 0),
  );
}

type At = Pick<FilterRequest, 'filter' | 'snapshot'>;

interface LivingItem {
  readonly item: ItemHistory;
  readonly record: ItemRecord;
  readonly amounts: readonly bigint[];
}

/** Finds the items of a deal that a filter leaves and that are not zero, as of a date. */
function livingItems({ filter, snapshot: { asOf } }: At): (deal: DealItems) => LivingItem[] {
  const { countries, currencies, facilityTypes, statuses } = filter;
  const { minOutstandingMinor: least, maxOutstandingMinor: most } = filter;
  const isLeft = (values: readonly string[], value: string) =>
    values.length === 0 || values.includes(value);
  const isLeftThen = (values: readonly string[], dated: Dated<string>) =>
    values.length === 0 || values.includes(valueAsOf(dated, asOf) ?? '');
  const leaves = (item: ItemHistory, { facilityType }: ItemRecord, { outstanding }: Sums) =>
    isLeft(currencies, item.currency) &&
    isLeft(facilityTypes, facilityType) &&
    isLeftThen(statuses, item.statuses) &&
    (least === undefined || outstanding >= least) &&
    (most === undefined || outstanding <= most);
  return (deal) => {
    const living: LivingItem[] = [];
    if (!isLeftThen(countries, deal.countries)) return living;
    for (const item of deal.items) {
      const sums = valueAsOf(item.sums, asOf);
      if (sums === undefined || sums.isZero) continue;
      const record = item.records.find(({ since }) => since <= asOf);
      if (record !== undefined && leaves(item, record, sums)) {
        living.push({ item, record, amounts: sums.amounts });
      }
    }
    return living;
  };
}

/** What the items of deals come to as of a date, and with them what others come to. */
export function totalsOn(
  deals: readonly DealItems[],
  at: At,
  others: readonly BookedTotal[] = [],
): readonly BookedTotal[] {
  const totals = new Map(
    others.map(({ currency, count, balance }) => [
      currency,
      { count, amounts: amountsOf(balance) },
    ]),
  );
  for (const living of deals.map(livingItems(at))) {
    // A sublimit adds no commitment to that of its facility.
    const wholes = living.some(({ item }) => item.isSublimit)
      ? new Set(living.flatMap(({ item }) => (item.isSublimit ? [] : [item.whole])))
      : undefined;
    for (const { item, amounts } of living) {
      let total = totals.get(item.currency);
      if (total === undefined) {
        total = { count: 0, amounts: [...NO_AMOUNTS] };
        totals.set(item.currency, total);
      }
      total.count += 1;
      const isPart = item.isSublimit && wholes?.has(item.whole) === true;
      // Most amounts are zero; adding them would take most of the time.
      for (let index = 0; index < amounts.length; index += 1) {
        const amount = amounts[index] ?? 0n;
        if (amount === 0n || (isPart && index === UNFUNDED)) continue;
        total.amounts[index] = (total.amounts[index] ?? 0n) + amount;
      }
    }
  }
  const told = [...totals].map(([currency, { count, amounts }]) => ({
    currency,
    count,
    balance: balanceOf(amounts),
  }));
  return told.sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

const UNFUNDED = TOTAL_COMPONENTS.indexOf('unfunded');

function amountsOf(balance: TotalBalance): bigint[] {
  return TOTAL_COMPONENTS.map((name) => balance[name]);
}

function balanceOf(amounts: readonly bigint[]): TotalBalance {
  const named = TOTAL_COMPONENTS.map((name, index) => [name, amounts[index] ?? 0n]);
  return Object.fromEntries(named) as TotalBalance;
}

/** The items as of a date of deals in which something may accrue. */
export function ratedOn(deals: readonly DealItems[], at: At): readonly MarkedItem[] {
  const rated = deals.filter((deal) => deal.rated);
  return rated.flatMap(livingItems(at)).map(({ record: { key }, item: { currency, holder } }) => ({
    key,
    currency,
    holder,
    group: null,
  }));
}
