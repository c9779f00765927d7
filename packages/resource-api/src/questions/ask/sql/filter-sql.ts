import type { SqlValue } from '@cls/shared/sql/database';
import type { BalanceFilter, FilterRequest } from '../balance-store.ts';
import { askedFilters, type FilterName } from '../filters.ts';
import {
  BY_LOOKUP,
  byLevel,
  dealHas,
  dealsWith,
  hasRecord,
  ITEM_TABLES,
  inBook,
  isPastDue,
  itemSum,
  LEVEL_SQL,
  maturesWithin,
  mayHaveChanged,
  NOT_ZERO,
  OUTSTANDING,
  ownLines,
  pastDueAge,
} from './balance-levels.ts';
import { isFound } from './search-condition.ts';

/** A question whose filters become SQL. */
interface Asked extends Pick<FilterRequest, 'level' | 'filter'> {
  /** The name of a new parameter. */
  add(value: SqlValue): string;
  readonly dealIsGiven: boolean;
}

/** What the store makes of a filter that a question uses. */
interface FilterSql<Value> {
  /** Whether item `i` passes. */
  condition?(value: Value, asked: Asked): string | undefined;
  /** Whether a movement on line `l` of deal `d` passes. */
  ofLine?(value: Value, asked: Asked): string;
  /** The deals that may have such items, by an index; undefined where they may be many. */
  deals?(value: Value, asked: Asked): string | undefined;
  /** Whether the stored totals of the book in the currency `code` pass. */
  ofBookTotals?(value: Value, asked: Asked): string;
}

const among = (column: string, list: string) => `${column} = ANY(${list})`;
const amongEither = (one: string, other: string, list: string) =>
  `(${among(one, list)} OR ${among(other, list)})`;
/** The keys of parties with these ids. */
const keysOf = (list: string) => `ARRAY(SELECT key FROM party WHERE ${among('id', list)})`;

/** Deals by their own ids, or by those of records within. */
const dealsOf = (table: string, list: string) => `
      SELECT deal_key AS key FROM ${table} WHERE ${among('id', list)}
      UNION ALL SELECT key FROM deal WHERE ${among('id', list)}`;
/** Deals that have or had one of the values. */
const dealsThatHad = (column: string, list: string) => `
      SELECT key FROM deal WHERE ${among(column, list)}
      UNION ALL SELECT deal_key FROM deal_details WHERE ${among(column, list)}`;
const lineOf = (table: string, key: string, list: string) => `(${among('d.id', list)}
        OR EXISTS (SELECT FROM ${table} WHERE key = ${key} AND ${among('id', list)}))`;

/** Position `q` is of a facility of deal `d` in the item's currency. */
const IN_CURRENCY = `q.deal_key = d.key
            AND (SELECT currency FROM facility g WHERE g.key = q.facility_key) = f.currency`;

/** Whether bounds leave out items that are zero. No amounts are stored of these. */
export function leavesOutZero({ minOutstandingMinor, maxOutstandingMinor }: BalanceFilter) {
  return (minOutstandingMinor ?? 0n) > 0n || (maxOutstandingMinor ?? 0n) < 0n;
}

/** Bounds of what is outstanding, of a value. */
export function outstandingBounds(
  value: string,
  {
    filter: { minOutstandingMinor: least, maxOutstandingMinor: most },
    add,
  }: Pick<Asked, 'filter' | 'add'>,
): readonly string[] {
  return [
    ...(least === undefined ? [] : [`${value} >= ${add(least)}`]),
    ...(most === undefined ? [] : [`${value} <= ${add(most)}`]),
  ];
}

const dealsByOutstanding = (_: bigint, asked: Asked) => {
  const { level, filter, add } = asked;
  if (!leavesOutZero(filter)) return undefined;
  const { currencies } = filter;
  const bounds = outstandingBounds('value', asked);
  const of = currencies.length > 0 ? [...bounds, among('currency', add(currencies))] : bounds;
  return `SELECT deal_key AS key FROM sort_amount
      WHERE level = '${level}' AND sort = 'outstanding' AND ${of.join(' AND ')}`;
};
const MATURES_BETWEEN: FilterSql<string> = {
  condition(_, { level, filter: { maturityFrom, maturityTo }, add }) {
    const from = `${add(maturityFrom ?? '-infinity')}::date`;
    return maturesWithin(level, from, `${add(maturityTo ?? 'infinity')}::date`);
  },
  deals(_, { level, filter: { maturityFrom, maturityTo }, add }) {
    // The labels of dates, and none of what has no end.
    const from = add(maturityFrom ?? '');
    return `SELECT deal_key AS key FROM sort_label
      WHERE kind = '${level === 'deal' ? 'facility' : level}' AND sort = 'maturityDate'
        AND value >= ${from} AND value <= ${add(maturityTo ?? '9999-12-31')}`;
  },
};

/** Every filter. */
const FILTER_SQL: { readonly [Name in FilterName]: FilterSql<NonNullable<BalanceFilter[Name]>> } = {
  dealIds: {
    condition: (ids, { add }) => among('d.id', add(ids)),
    ofLine: (ids, { add }) => among('d.id', add(ids)),
    deals: (ids, { add }) => `SELECT key FROM deal WHERE ${among('id', add(ids))}`,
  },
  facilityIds: {
    condition: (ids, { add }) => amongEither('f.id', 'd.id', add(ids)),
    ofLine: (ids, { add }) => lineOf('facility', 'l.facility_key', add(ids)),
    deals: (ids, { add }) => dealsOf('facility', add(ids)),
  },
  contractIds: {
    condition: (ids, { level, add }) =>
      level === 'contract' ? amongEither('i.id', 'd.id', add(ids)) : undefined,
    ofLine: (ids, { add }) => lineOf('loan_contract', 'l.contract_key', add(ids)),
    deals: (ids, { level, add }) =>
      level === 'contract' ? dealsOf('loan_contract', add(ids)) : undefined,
  },
  currencies: {
    condition: (codes, { add }) => among('f.currency', add(codes)),
    ofLine: (codes, { add }) => among('l.currency', add(codes)),
    ofBookTotals: (codes, { add }) => among('code', add(codes)),
  },
  facilityTypes: {
    condition: (types, { add }) => among('f.type', add(types)),
  },
  statuses: {
    condition: (statuses, { level, add }) => among(LEVEL_SQL[level].status, add(statuses)),
  },
  borrowerIds: {
    condition: (ids, { dealIsGiven, add }) =>
      (dealIsGiven ? dealHas : dealsWith)('borrower_key', keysOf(add(ids))),
    ofLine: (ids, { add }) => dealHas('borrower_key', keysOf(add(ids))),
    deals: (ids, { add }) => dealsThatHad('borrower_key', keysOf(add(ids))),
  },
  countries: {
    condition: (codes, { dealIsGiven, add }) =>
      (dealIsGiven ? dealHas : dealsWith)('country', add(codes)),
    deals: (codes, { add }) => dealsThatHad('country', add(codes)),
  },
  lenderIds: {
    condition(ids, { level, add }) {
      const keys = `(SELECT key FROM party WHERE ${among('id', add(ids))})`;
      if (level === 'position') return `i.lender_key IN ${keys}`;
      return `EXISTS (SELECT FROM lender_position q WHERE q.lender_key IN ${keys}
            AND ${hasRecord('position', 'q')}
            AND ${level === 'deal' ? IN_CURRENCY : 'q.facility_key = f.key'})`;
    },
    ofLine: (ids, { add }) => among('l.lender_key', keysOf(add(ids))),
    deals: (ids, { add }) =>
      `SELECT deal_key AS key FROM lender_position WHERE ${among('lender_key', keysOf(add(ids)))}`,
  },
  minOutstandingMinor: {
    condition: (least, { level, add }) =>
      `${itemSum(LEVEL_SQL[level], OUTSTANDING)} >= ${add(least)}`,
    deals: dealsByOutstanding,
  },
  maxOutstandingMinor: {
    condition: (most, { level, add }) =>
      `${itemSum(LEVEL_SQL[level], OUTSTANDING)} <= ${add(most)}`,
    deals: dealsByOutstanding,
  },
  maturityFrom: MATURES_BETWEEN,
  maturityTo: MATURES_BETWEEN,
  search: {
    condition: (words, { level, add }) => isFound(level, add(words)),
    ofLine: (words, { add }) => isFound('line', add(words)),
  },
  pastDue: { condition: (_, { level }) => isPastDue(level) },
  pastDueAges: {
    condition: (ages, { level, add }) => among(pastDueAge(LEVEL_SQL[level]), add(ages)),
  },
  // The reading of each item decides.
  restated: {},
  changedAfter: {
    condition: (seq, { level, add }) => mayHaveChanged(level, add(seq)),
    deals: (seq, { add }) => `SELECT deal_key AS key FROM journal WHERE seq > ${add(seq)}`,
  },
  itemKeys: {
    condition: (keys, { add }) => among('i.key', add(keys)),
    deals: (keys, { level, add }) =>
      `SELECT deal_key AS key FROM ${ITEM_TABLES[level]} WHERE ${among('key', add(keys))}`,
  },
  // Without it, items that are zero are left out.
  includeZero: {},
};

/** One part of the filters that a question uses; those that share a part are one condition together. */
export function filterSql(
  part: 'condition' | 'ofLine' | 'deals' | 'ofBookTotals',
  { level, filter }: Pick<FilterRequest, 'level' | 'filter'>,
  add: Asked['add'],
  dealIsGiven = false,
): readonly string[] {
  const values = new Map<FilterSql<unknown>[typeof part], unknown>();
  for (const name of askedFilters(filter)) {
    values.set((FILTER_SQL[name] as FilterSql<unknown>)[part], filter[name]);
  }
  const asked = { level, filter, add, dealIsGiven };
  return [...values].flatMap(([make, value]) => make?.(value, asked) ?? []);
}

const IN_BOOK = byLevel(inBook);
const IS_NOT_ZERO = byLevel(
  (level) => `EXISTS (SELECT FROM ${ownLines(LEVEL_SQL[level])} AND ${NOT_ZERO} ${BY_LOOKUP})`,
);

/** Which deals an item may be in. */
export interface AmongDeals {
  /** The only ones, by their keys; undefined: any. */
  readonly deals?: readonly bigint[] | undefined;
  /** Whether deal `d` is found before its item, so that no condition needs to find deals. */
  readonly dealIsGiven?: boolean;
}

/** What a question asks of item `i`. */
export function conditions(
  request: Pick<FilterRequest, 'level' | 'filter'>,
  { add }: Pick<Asked, 'add'>,
  { deals, dealIsGiven = deals !== undefined }: AmongDeals,
): string[] {
  const { level, filter } = request;
  return [
    IN_BOOK[level],
    ...filterSql('condition', request, add, dealIsGiven),
    ...(filter.includeZero ? [] : [IS_NOT_ZERO[level]]),
    ...(deals === undefined ? [] : [among('i.deal_key', add(deals))]),
  ];
}

/** Whether the stored totals of the book answer what a filter asks. */
export function asksForWholeBook(filter: BalanceFilter): boolean {
  return askedFilters(filter).every((name) => FILTER_SQL[name].ofBookTotals !== undefined);
}
