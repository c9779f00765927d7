import { EXTERNAL_SOURCE, EXTERNAL_VALUE } from '../ledger/external-id.ts';
import type { BalanceFilter, BalanceStore } from './balance-store.ts';
import { FILTER_NAMES, type FilterName } from './filters.ts';

/** `ext:SOURCE:ID`: what a record is called elsewhere, in any filter that takes ids. */
export const EXTERNAL_ID = `ext:${EXTERNAL_SOURCE}:${EXTERNAL_VALUE}`;

type IdList = Extract<FilterName, `${string}Ids`>;
const ID_LISTS = FILTER_NAMES.filter((name): name is IdList => name.endsWith('Ids'));

/** An unknown name stays as it is, and finds nothing. */
export async function resolveIds<F extends BalanceFilter>(
  filter: F,
  store: Pick<BalanceStore, 'resolveExternalIds'>,
): Promise<F> {
  const names = ID_LISTS.flatMap((list) => filter[list].filter((id) => id.startsWith('ext:')));
  if (names.length === 0) return filter;
  const ids = await store.resolveExternalIds(names.map((name) => name.slice('ext:'.length)));
  const resolved = ID_LISTS.map((list) => [
    list,
    filter[list].map((id) => ids.get(id.slice('ext:'.length)) ?? id),
  ]);
  return { ...filter, ...Object.fromEntries(resolved) };
}
