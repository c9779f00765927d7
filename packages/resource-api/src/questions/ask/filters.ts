import { EXTERNAL_SOURCE, EXTERNAL_VALUE } from '../../ledger/external-id.ts';
import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  LEVELS,
  type Level,
  NO_FILTER,
  type PastDue,
  pastDueTo,
} from './balance-store.ts';
import type { ResolvedSnapshot } from './snapshot.ts';

export type FilterName = keyof BalanceFilter;

/** What a filter means to a question. Its SQL is in `questions/ask/sql/filter-sql.ts`. */
interface FilterMeaning {
  /** Levels whose items are coarser than what the filter names. */
  readonly tooFineFor?: readonly Level[];
  /** Where the store finds too much, and the reading of each item decides. */
  readonly reading?: DecidedByReading;
}

/** What the reading of an item tells that decides. */
interface Decisive {
  readonly item: BalanceItem;
  readonly pastDue: readonly PastDue[];
  /** Undefined where nothing else was reported before. */
  readonly former: object | undefined;
}

export interface DecidedByReading {
  readonly levels: readonly Level[];
  passes(reading: Decisive): boolean;
  /** What the store is asked for. */
  candidates?(snapshot: ResolvedSnapshot): Partial<BalanceFilter>;
}

/** Every filter. What was reported before, and what is past due to a lender, are worked out and not looked up. */
export const FILTERS: Readonly<Record<FilterName, FilterMeaning>> = {
  dealIds: {},
  facilityIds: { tooFineFor: ['deal'] },
  contractIds: { tooFineFor: ['deal', 'facility', 'position'] },
  currencies: {},
  facilityTypes: { tooFineFor: ['deal'] },
  statuses: {},
  borrowerIds: {},
  countries: {},
  lenderIds: {},
  minOutstandingMinor: {},
  maxOutstandingMinor: {},
  maturityFrom: {},
  maturityTo: {},
  search: {},
  pastDue: {
    reading: {
      levels: ['position'],
      passes: ({ item: { position }, pastDue }) => pastDueTo(position?.lenderId, pastDue) > 0n,
    },
  },
  pastDueAges: {},
  restated: {
    reading: {
      levels: LEVELS,
      passes: ({ former }) => former !== undefined,
      candidates: ({ reportedSeq }) => ({ changedAfter: reportedSeq }),
    },
  },
  changedAfter: {},
  itemKeys: {},
  includeZero: {},
};
const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

/** The filters that a question uses: those that do not say what `NO_FILTER` says. */
export function askedFilters(filter: BalanceFilter): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => {
    const [value, none] = [filter[name], NO_FILTER[name]];
    if (Array.isArray(value) && Array.isArray(none)) return value.length > 0;
    return value !== undefined && value !== false;
  });
}

/** `ext:SOURCE:ID`: what a record is called elsewhere, in any filter that takes ids. */
export const EXTERNAL_ID = `ext:${EXTERNAL_SOURCE}:${EXTERNAL_VALUE}`;

/** Filters that take ids are named so. */
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
