import {
  type AnySort,
  COMPARED,
  isAmountSort,
  type Level,
  type PageEnd,
  type Sort,
} from '../balances/balance-store.ts';
import {
  AVAILABLE,
  borrowerOf,
  COMMITMENT,
  FACILITY_NAME,
  itemSum,
  LATE,
  LEVEL_SQL,
  type LevelSql,
  lastSeq,
  OUTSTANDING,
  ownLines,
  partyName,
} from './balance-levels.ts';
import type { Parameters } from './balance-statements.ts';

/**
 * What an item is sorted by, as far as the database knows: what accrues, and a lender's part of what is
 * past due, is added in Node. Text sorts by code point, the same everywhere.
 */
const SORT_SQL: Readonly<Record<AnySort['by'], (sql: LevelSql, level: Level) => string>> = {
  dealNumber: () => 'd.deal_number COLLATE "C"',
  facilityName: () => `${FACILITY_NAME} COLLATE "C"`,
  borrower: () => `(SELECT ${partyName('y')} FROM ${borrowerOf()} y) COLLATE "C"`,
  maturityDate: ({ maturity }) => `coalesce(${maturity}, 'infinity')`,
  outstanding: (sql) => itemSum(sql, OUTSTANDING),
  unfunded: (sql) => itemSum(sql, 'b.unfunded'),
  commitment: (sql) => itemSum(sql, COMMITMENT),
  available: (sql) => `(SELECT coalesce(${AVAILABLE}, 0) FROM ${ownLines(sql)})`,
  pastDue: (sql, level) => (level === 'position' ? '0' : itemSum(sql, LATE)),
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

interface Order {
  /** What a page ends with: with the currency before an amount. */
  readonly value: string;
  readonly by: string;
  after(end: { sortValue: string | null; key: bigint }, parameters: Parameters): string;
}

export function orderOf(level: Level, sort: Sort): Order {
  const [value, type] = [sortValue(level, sort.by), sortType(sort.by)];
  const [direction, beyond] = sort.descending ? ['DESC', '<'] : ['ASC', '>'];
  const afterOne = (last: string, key: bigint, parameters: Parameters) =>
    `(${value} ${beyond} ${last} OR (${value} = ${last} AND i.key > ${parameters.add(key)}))`;
  if (!isAmountSort(sort.by)) {
    return {
      value,
      by: `${value} ${direction}, i.key`,
      after: ({ sortValue, key }, parameters) =>
        afterOne(`${parameters.add(sortValue)}::${type}`, key, parameters),
    };
  }
  return {
    value: `concat(f.currency, ' ', ${value})`,
    by: `f.currency, ${value} ${direction}, i.key`,
    after: (end, parameters) => {
      const last = endOfAmounts(end, parameters);
      return `(f.currency > ${last.currency} OR (f.currency = ${last.currency}
        AND ${afterOne(`${last.value}::${type}`, end.key, parameters)}))`;
    },
  };
}

/** Where a page that is sorted by an amount ended: `USD 1250`. */
export function endOfAmounts({ sortValue }: Pick<PageEnd, 'sortValue'>, parameters: Parameters) {
  const [currency = '', value = '0'] = (sortValue ?? '').split(' ');
  return { currency: `${parameters.add(currency)}::text`, value: parameters.add(value) };
}
