import type { GroupTotal, Sum, Totals } from '../balances/shapes.ts';
import { difference } from '../web/amounts.ts';
import type { Was } from './cells.ts';
import { wasOf } from './compare.ts';

const AMOUNTS = [
  ...(['principalOutstanding', 'unfunded', 'pastDue', 'commitment', 'available'] as const),
  ...(['interestAccrued', 'feesAccrued'] as const),
];

/** What is added up in one currency. */
type Summed = { readonly currency: string; readonly count: number } & {
  readonly [name in (typeof AMOUNTS)[number]]?: string | null;
};

export interface Beside<T> {
  readonly sum: T;
  readonly was: Was<T> | undefined;
}

/** Each sum beside what it was; where one of the times has nothing of it, it comes to zero there. */
export function sumsBeside<T extends Summed>(
  sums: readonly T[],
  was: Was<readonly T[]> | undefined,
  isSame: (one: T, other: T) => boolean,
): readonly Beside<T>[] {
  const gone = (was?.before ?? []).filter((one) => !sums.some((sum) => isSame(sum, one)));
  return [...sums, ...gone.map(nothingOf)].map((sum) => ({
    sum,
    was: wasOf(was, (all) => all.find((one) => isSame(one, sum)) ?? nothingOf(sum)),
  }));
}

export function ofOneCurrency(one: Summed, other: Summed): boolean {
  return one.currency === other.currency;
}

export function isSameGroup(one: GroupTotal, other: GroupTotal): boolean {
  return one.value === other.value && one.currency === other.currency;
}

function nothingOf<T extends Summed>(sum: T): T {
  const some = AMOUNTS.map((name) => sum[name]).find((amount) => typeof amount === 'string') ?? '0';
  const zeros = AMOUNTS.filter((name) => sum[name] !== undefined);
  const none = Object.fromEntries(zeros.map((name) => [name, difference(some, some)]));
  return { ...sum, ...none, count: 0 };
}

/** What a group was. Of one that is beyond what the API lists one by one, nothing is known. */
export function groupThen(
  group: GroupTotal,
  then: Was<Totals> | undefined,
): Was<GroupTotal> | undefined {
  const found = then?.before?.data.find((one) => isSameGroup(one, group));
  if (found === undefined && then?.before?.rest.some((rest) => ofOneCurrency(rest, group))) {
    return undefined;
  }
  return wasOf(then, () => found ?? nothingOf(group));
}

/** What the others were: all of the currency, less the groups that the table shows. */
export function restThen(
  sum: Sum,
  shown: readonly GroupTotal[],
  then: Was<Totals> | undefined,
): Was<Sum> | undefined {
  const own = shown.filter((group) => ofOneCurrency(group, sum));
  const parts = own.map((group) => groupThen(group, then));
  if (parts.some((part) => part === undefined)) return undefined;
  return wasOf(then, ({ totals }) => {
    const all = totals.find((total) => ofOneCurrency(total, sum));
    if (all === undefined) return nothingOf(sum);
    return parts.flatMap((part) => part?.before ?? []).reduce<Sum>(less, all);
  });
}

function less(all: Sum, part: Summed): Sum {
  const left = AMOUNTS.map((name) => {
    const [whole, some] = [(all as Summed)[name], part[name]];
    return [name, whole == null || some == null ? null : difference(some, whole)] as const;
  });
  return { ...all, ...Object.fromEntries(left), count: all.count - part.count };
}
