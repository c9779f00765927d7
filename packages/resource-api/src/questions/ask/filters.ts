import { EXTERNAL_SOURCE, EXTERNAL_VALUE } from '../../ledger/external-id.ts';
import { type BalanceFilter, type BalanceStore, NO_FILTER } from './balance-store.ts';

export type FilterName = keyof BalanceFilter;

/** The filters that a question uses: those that do not say what `NO_FILTER` says. */
export function askedFilters(filter: BalanceFilter): readonly FilterName[] {
  return namesIn(filter).filter((name) => {
    const [value, none] = [filter[name], NO_FILTER[name]];
    if (Array.isArray(value) && Array.isArray(none)) return value.length > 0;
    return value !== undefined && value !== false;
  });
}

/** `ext:SOURCE:ID`: what a record is called elsewhere, in any filter that takes ids. */
export const EXTERNAL_ID = `ext:${EXTERNAL_SOURCE}:${EXTERNAL_VALUE}`;

/** Filters that take ids are named so. */
type IdList = Extract<FilterName, `${string}Ids`>;
const ID_LISTS = namesIn(NO_FILTER).filter((name): name is IdList => name.endsWith('Ids'));

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

function namesIn(filter: BalanceFilter): readonly FilterName[] {
  return Object.keys(filter) as FilterName[];
}
