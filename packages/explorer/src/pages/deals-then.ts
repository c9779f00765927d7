import type { BalanceItem, List } from '../balances/shapes.ts';
import { type Compared, readThen } from './compare.ts';
import { filtersOf } from './deal-filters.ts';
import type { PageDeps } from './show.ts';
import type { Times, Visit } from './visit.ts';

/** As many ids as the API takes in one question. */
const IDS_MAX = 100;

type Deals = List<BalanceItem>;

/** The totals of what the same filters found at the time of the comparison. */
export function totalsThen({ api }: PageDeps, visit: Visit): Promise<Compared<Deals> | undefined> {
  return readThen(visit, (times) =>
    api.read<Deals>(visit.asker, '/balances', {
      ...{ ...times, ...filtersOf(visit.query), level: 'deal' },
      ...{ include: 'totals', fields: 'id', limit: '1' },
    }),
  );
}

/** The same deals at other times, whatever the filters would find of them there. */
export async function sameDealsAt(
  { api }: PageDeps,
  { asker }: Visit,
  items: readonly BalanceItem[],
  { asOf, knownAt }: Times,
): Promise<readonly BalanceItem[]> {
  const ids = [...new Set(items.map(({ deal }) => deal.id))];
  const parts = Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, at) =>
    ids.slice(at * IDS_MAX, (at + 1) * IDS_MAX),
  );
  const lists = await Promise.all(
    parts.map((dealId) =>
      api.read<Deals>(asker, '/balances', {
        ...{ asOf, knownAt, dealId, level: 'deal', includeZero: 'true' },
        ...{ include: 'none', limit: '1000' },
      }),
    ),
  );
  return lists.flatMap(({ data }) => data);
}
