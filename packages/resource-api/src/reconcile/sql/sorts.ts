import {
  isAmountSort,
  LEVELS,
  type Level,
  STORED_SORTS,
} from '../../questions/ask/balance-store.ts';
import {
  inBook,
  LEVEL_SQL,
  livesUntil,
  NOT_ZERO,
  OUTSTANDING,
  ownLines,
} from '../../questions/ask/sql/balance-levels.ts';
import { sortValue } from '../../questions/page/sql/sort-sql.ts';
import { nowAndInThePast } from './part.ts';

/** A row for each of the `values` of an item that the book has and that its order has not. */
const missing = (level: Level, item: string, values: string, where = 'true') => {
  return `
      SELECT '${level}' AS level, i.id AS item, $1::date::text AS "asOf",
        $2::bigint::text AS "ledgerSeq", v.name AS sort, 'missing' AS found,
        v.value::text AS expected
      FROM ${LEVEL_SQL[level].items} ${item}
      CROSS JOIN LATERAL (VALUES ${values}) v (name, value, is_kept)
      WHERE ${inBook(level)} AND ${where} AND NOT v.is_kept`;
};

/** What an item that lives is sorted by, and until when it lives. */
const missingAmounts = (level: Level) => {
  const kept = (sort: string) => `EXISTS (SELECT FROM sort_amount
        WHERE level = '${level}' AND sort = '${sort}' AND value = s.${sort} AND item_key = i.key
          AND currency = f.currency)`;
  const values = `
        ('outstanding', s.outstanding, ${kept('outstanding')}),
        ('unfunded', s.unfunded, ${kept('unfunded')}),
        ('life', NULL, coalesce(${livesUntil(level, 'i.key')} > $1, false))`;
  const sums = `CROSS JOIN LATERAL (
        SELECT sum(${OUTSTANDING})::bigint AS outstanding, sum(b.unfunded)::bigint AS unfunded,
          bool_or(${NOT_ZERO}) AS lives
        FROM ${ownLines(LEVEL_SQL[level])}) s`;
  return missing(level, sums, values, 's.lives');
};

const LABELS = STORED_SORTS.filter((by) => by !== 'dealNumber' && !isAmountSort(by));

/** A deal has the labels of its facility. */
const missingLabels = (level: Level) => {
  const values = LABELS.map((sort) => {
    const value = sortValue(level, sort);
    const text = sort === 'maturityDate' ? `maturity_label(nullif(${value}, 'infinity'))` : value;
    return `('${sort}', ${text})`;
  });
  const labels = `CROSS JOIN LATERAL (VALUES ${values.join(', ')}) s (name, value)`;
  const kept = `EXISTS (SELECT FROM sort_label WHERE kind = '${level}' AND sort = s.name
        AND value = s.value AND item_key = i.key)`;
  return missing(level, labels, `(s.name, s.value, ${kept})`);
};

const breaks = [
  ...LEVELS.map(missingAmounts),
  ...LEVELS.filter((level) => level !== 'deal').map(missingLabels),
].join(' UNION ALL ');
const checked = '(SELECT count(*) FROM sort_amount) + (SELECT count(*) FROM sort_label)';

/** What sorted pages walk: without an item's value a page would leave the item out. */
export const SORT_STATEMENTS = nowAndInThePast(
  {
    invariant: 'sorted_items_kept',
    states: 'every item is kept under what it is sorted by, and for as long as it lives',
    checked: `SELECT ${checked}`,
    breaks,
  },
  'so it was at past dates, as it was known in the past',
);
