/** What an answer is compared with: `compareAsOf` and `compareKnownAt`. */

import type { ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import type { ComparedPage } from '../../questions/lists/read-compared.ts';
import type { Presented } from './money.ts';
import { type BalanceResource, presentItem, presentMeta, presentTotal } from './present.ts';
import { presentReportingTotal } from './present-reporting.ts';

/** Where the answer compares. */
export interface Comparison {
  /** Undefined before the book. */
  readonly page: ComparedPage | undefined;
  /** What items were, by id. */
  readonly items: ReadonlyMap<unknown, Presented>;
}

export function comparisonOf(
  resource: BalanceResource,
  page: ComparedPage | undefined,
): Comparison {
  const items = new Map<unknown, Presented>();
  if (page === undefined) return { page, items };
  for (const reading of page.readings) {
    const item = presentItem(resource, reading, page.page);
    items.set(item['id'], item);
  }
  return { page, items };
}

/** The item with what it was; null where it was not there. */
export function withCompared(item: Presented, comparison: Comparison | undefined): Presented {
  if (comparison === undefined) return item;
  return { ...item, compared: comparison.items.get(item['id']) ?? null };
}

/** The times of the comparison; null before the book. */
export function comparedMeta(snapshot: ResolvedSnapshot | undefined): Presented | null {
  if (snapshot === undefined) return null;
  const { apiVersion: _, ...meta } = presentMeta(snapshot);
  return meta;
}

export function comparedTotals({ page: found }: Comparison, wish: string): Presented {
  if (found === undefined) return wish === 'none' ? {} : { comparedTotals: [] };
  const { totals, page } = found;
  const { level, reporting } = page.question;
  if (totals === undefined) return {};
  return {
    comparedTotals: totals.map((total) => presentTotal(total, level)),
    ...(page.rates === undefined || reporting === undefined
      ? {}
      : {
          comparedReportingTotal: presentReportingTotal(totals, reporting.currency, page.rates),
        }),
  };
}
