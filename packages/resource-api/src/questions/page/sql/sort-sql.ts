import {
  type AnySort,
  COMPARED,
  isAmountSort,
  type Level,
  type PageEnd,
  type Sort,
} from '../../ask/balance-store.ts';
import {
  AVAILABLE,
  BORROWER,
  COMMITMENT,
  FACILITY_NAME,
  itemSum,
  LEVEL_SQL,
  type LevelSql,
  lastSeq,
  OUTSTANDING,
  ownLines,
  PAST_DUE,
  partyName,
} from '../../ask/sql/balance-levels.ts';
import type { SqlParameters } from '../../ask/sql/statement.ts';

/**
 * What an item is sorted by, as far as the database knows: what accrues, and a lender's part of what is
 * past due, is added in Node. Text sorts by code point, the same everywhere.
 */
const SORT_SQL: Readonly<Record<AnySort['by'], (sql: LevelSql, level: Level) => string>> = {
  dealNumber: () => 'd.deal_number COLLATE "C"',
  facilityName: () => `${FACILITY_NAME} COLLATE "C"`,
  borrower: () => `(SELECT ${partyName('y')} FROM ${BORROWER} y) COLLATE "C"`,
  maturityDate: ({ maturity }) => `coalesce(${maturity}, 'infinity')`,
  outstanding: (sql) => itemSum(sql, OUTSTANDING),
  unfunded: (sql) => itemSum(sql, 'b.unfunded'),
  commitment: (sql) => itemSum(sql, COMMITMENT),
  available: (sql) => `(SELECT coalesce(${AVAILABLE}, 0) FROM ${ownLines(sql)})`,
  pastDue: (sql, level) => (level === 'position' ? '0' : itemSum(sql, PAST_DUE)),
  interestAccrued: (sql) => itemSum(sql, 'b.interest_accrued'),
  lastPostedAt: lastSeq,
};

export function sortValue(level: Level, by: AnySort['by']): string {
  return SORT_SQL[by](LEVEL_SQL[level], level);
}

/** The types in which values are compared. */
const TYPES = { text: 'text', date: 'date', amount: 'numeric' } as const;

export function sortType(by: Sort['by']): string {
  return TYPES[COMPARED[by]];
}

/** How a page sorts its items, and what comes after where it begins. */
interface Order {
  readonly by: string;
  readonly after: string;
}

export function orderOf(
  level: Level,
  sort: Sort,
  after: PageEnd | undefined,
  parameters: SqlParameters,
): Order {
  const value = sortValue(level, sort.by);
  const [direction, beyond] = sort.descending ? ['DESC', '<'] : ['ASC', '>'];
  const own = `${value} ${direction}, i.key`;
  const beyondOne = (last: string, key: bigint) => {
    const typed = `${last}::${sortType(sort.by)}`;
    return `(${value} ${beyond} ${typed} OR (${value} = ${typed} AND i.key > ${parameters.add(key)}))`;
  };
  if (!isAmountSort(sort.by)) {
    const last = after && beyondOne(parameters.add(after.sortValue), after.key);
    return { by: own, after: last ?? 'true' };
  }
  const by = `f.currency, ${own}`;
  if (after === undefined) return { by, after: 'true' };
  const { currency, value: last } = endOfAmounts(after, parameters);
  const within = beyondOne(last, after.key);
  return { by, after: `(f.currency > ${currency} OR (f.currency = ${currency} AND ${within}))` };
}

/** The value of a row `c` as the end of a page has it: an amount with its currency, `USD 1250`. */
export function endValue(by: Sort['by']): string {
  return isAmountSort(by) ? "concat(c.currency, ' ', c.value)" : 'c.value::text';
}

/** Where a page that is sorted by an amount ended. */
export function endOfAmounts({ sortValue }: Pick<PageEnd, 'sortValue'>, parameters: SqlParameters) {
  const [currency = '', value = '0'] = (sortValue ?? '').split(' ');
  return { currency: `${parameters.add(currency)}::text`, value: parameters.add(value) };
}
