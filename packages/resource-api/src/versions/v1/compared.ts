/** What an answer is compared with: `compareAsOf` and `compareKnownAt`. */

import type { Caller } from '@cls/shared/access/caller';
import type { ResolvedSnapshot } from '../../questions/ask/snapshot.ts';
import type {
  ComparedPage,
  ComparedRequest,
  ReadCompared,
} from '../../questions/lists/read-compared.ts';
import type { TotalsWish } from '../../questions/page/read-balances.ts';
import { type BalanceResource, presentItem, presentMeta, presentTotals } from './present.ts';
import type { Presented } from './presented.ts';

/** Where the answer compares. */
export interface Comparison {
  /** Undefined before the book. */
  readonly page: ComparedPage | undefined;
  /** What items were, by id. */
  readonly items: ReadonlyMap<unknown, Presented>;
}

export async function comparisonOf(
  readCompared: ReadCompared,
  caller: Caller,
  resource: BalanceResource,
  request: ComparedRequest,
): Promise<Comparison> {
  const found = await readCompared(caller, request);
  const items = found?.readings.map((reading) => presentItem(resource, reading, found.page)) ?? [];
  return { page: found, items: new Map(items.map((item) => [item['id'], item])) };
}

/** The item with what it was; null where it was not there. */
export function withCompared(item: Presented, { items }: Comparison): Presented {
  return { ...item, compared: items.get(item['id']) ?? null };
}

/** The times of the comparison; null before the book. */
export function comparedMeta(snapshot: ResolvedSnapshot | undefined): Presented | null {
  if (snapshot === undefined) return null;
  const { apiVersion: _, ...meta } = presentMeta(snapshot);
  return meta;
}

export function comparedTotals(found: ComparedPage | undefined, wish: TotalsWish): Presented {
  if (found === undefined) return wish === 'none' ? {} : { comparedTotals: [] };
  if (found.totals === undefined) return {};
  const { totals, reportingTotal } = presentTotals(found.totals, found.page);
  return { comparedTotals: totals, comparedReportingTotal: reportingTotal };
}
