import {
  outstandingPrincipal,
  TOTAL_COMPONENTS,
  type TotalBalance,
} from '../../../ledger/balance.ts';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import { dayNumber } from '../../../ledger/day-count.ts';

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

/** Values, each from its day on. */
export interface Dated<Value> {
  readonly from: readonly number[];
  readonly values: readonly Value[];
}

/** What an item comes to. */
export interface Sums {
  readonly isZero: boolean;
  readonly outstanding: bigint;
  /** Of `TOTAL_COMPONENTS`. */
  readonly amounts: readonly bigint[];
}

/** A record that is the item from a day on, while none before it is. */
interface ItemRecord {
  readonly key: bigint;
  readonly since: number;
  readonly facilityType: string;
}

export interface ItemHistory {
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
  readonly key: bigint;
  /** Something in the deal may accrue. */
  readonly rated: boolean;
  readonly countries: Dated<string>;
  readonly items: readonly ItemHistory[];
}

/** @returns the deal's items, and how many facts they hold */
export function toDealItems(
  key: bigint,
  rows: readonly ItemHistoryRow[],
): {
  readonly history: DealItems;
  readonly facts: number;
} {
  const items = rows.flatMap((row) => toItem(row) ?? []);
  const facts = items.reduce(
    (sum, { sums, statuses }) => sum + factsOf(sums) + factsOf(statuses),
    1,
  );
  const [{ rated = false, countries = '' } = {}] = rows;
  return { history: { key, rated, countries: toDated(countries), items }, facts };
}

function toItem(row: ItemHistoryRow): ItemHistory | undefined {
  if (row.key === null) return undefined;
  const sums = sumsOf(row.lines ?? '');
  if (factsOf(sums) === 0) return undefined;
  const { key, currency, holder, sublimit_of: around } = row;
  const whole = `${around ?? row.facility} ${holder}`;
  const [records, statuses] = [row.records.split(',').map(toRecord), toDated(row.statuses)];
  return { key, records, currency, holder, sums, statuses, whole, isSublimit: around !== null };
}

function toRecord(text: string): ItemRecord {
  const [key = '', since = '', facilityType = ''] = text.split(' ');
  return { key: BigInt(key), since: dayOf(since), facilityType };
}

function toDated(text: string): Dated<string> {
  const steps = text.split(',').map((step) => step.split(' '));
  const from = steps.map(([date = '']) => dayOf(date));
  return { from, values: steps.map(([, value = '']) => value) };
}

function factsOf({ from }: Dated<unknown>): number {
  return from.length;
}

/** Before all days, and after them. */
const ENDS: Readonly<Record<string, number>> = {
  '-infinity': Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
};

/** Days compare faster than dates. */
export function dayOf(date: string): number {
  return ENDS[date] ?? dayNumber(date as BusinessDate);
}

/** Most amounts are zero: one value for all of them takes less memory. */
const ZERO = 0n;
export const NO_AMOUNTS: readonly bigint[] = TOTAL_COMPONENTS.map(() => ZERO);
const NOTHING: Sums = { isZero: true, outstanding: 0n, amounts: NO_AMOUNTS };

/** What lines come to together. */
function sumsOf(lines: string): Dated<Sums> {
  const changes = lines.split('/').flatMap(changesOf);
  changes.sort((a, b) => a.from - b.from);
  const days: number[] = [];
  const values: Sums[] = [];
  let [amounts, notZero] = [NO_AMOUNTS, 0];
  for (const { from, value } of changes) {
    amounts = amounts.map((amount, index) => amount + (value.amounts[index] ?? ZERO) || ZERO);
    notZero += value.notZero;
    const outstanding = outstandingPrincipal(balanceOf(amounts));
    const sums = notZero === 0 ? NOTHING : { isZero: false, outstanding, amounts };
    if (days.at(-1) === from) {
      days.pop();
      values.pop();
    }
    if (isSame(values.at(-1) ?? NOTHING, sums)) continue;
    days.push(from);
    values.push(sums);
  }
  return { from: days, values };
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
    return { from: dayOf(from), value };
  });
}

function isSame(one: Sums, other: Sums): boolean {
  return (
    one.isZero === other.isZero &&
    one.amounts.every((amount, index) => amount === other.amounts[index])
  );
}

export function balanceOf(amounts: readonly bigint[]): TotalBalance {
  const named = TOTAL_COMPONENTS.map((name, index) => [name, amounts[index] ?? 0n]);
  return Object.fromEntries(named) as TotalBalance;
}
