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

/** The sum of each currency beside what it was; a currency that is gone comes to zero, and one that is new was not there. */
export function sumsBeside<T extends Summed>(
  sums: readonly T[],
  was: Was<readonly T[]> | undefined,
): readonly Beside<T>[] {
  const same = (all: readonly T[], { currency }: T) => all.find((one) => one.currency === currency);
  const gone = (was?.before ?? []).filter((one) => same(sums, one) === undefined);
  return [...sums, ...gone.map(nothingOf)].map((sum) => ({
    sum,
    was: wasOf(was, (all) => same(all, sum)),
  }));
}

function nothingOf<T extends Summed>(sum: T): T {
  const some = AMOUNTS.map((name) => sum[name]).find((amount) => typeof amount === 'string') ?? '0';
  const zeros = AMOUNTS.filter((name) => sum[name] !== undefined);
  const none = Object.fromEntries(zeros.map((name) => [name, difference(some, some)]));
  return { ...sum, ...none, count: 0 };
}
