import type { Level, PageEnd, PageRequest, Snapshot, Sort } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  LEVEL_SQL,
  lenderSums,
  partyName,
  termsJoins,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, Parameters, type Statement } from '../../ask/sql/statement.ts';
import { itemArray } from './page-rows.ts';

export type SortedRequest = PageRequest & { readonly sort: Sort };

/** A page of items that are found already, in their order. */
export function foundPageStatement(
  level: Level,
  snapshot: Snapshot,
  found: readonly PageEnd[],
): Statement {
  const parameters = new Parameters(snapshot);
  const keys = parameters.add(found.map(({ key }) => key));
  const values = parameters.add(found.map(({ sortValue }) => sortValue));
  const page = `
      SELECT * FROM unnest(${keys}::bigint[], ${values}::text[])
        WITH ORDINALITY AS found (key, sort_value, number)`;
  const text = detailsOf(level, page);
  return { sql: text, parameters: parameters.values };
}

const NEWEST_POSTING =
  'max(b.effective_date) AS last_effective_date, max(b.known_seq) AS last_seq, ';

/**
 * Everything that a page tells of its items. `page` is a SELECT that finds them: their `key`, what they
 * are sorted by (`sort_value`), and their place on the page (`number`). An item has a row for its
 * global balance and one for each lender's; what is told of the item is in the first one alone, as
 * a JSON array: the driver makes slow objects of rows with many columns, and names would take longer
 * to write than most values. Each join, used or not, takes time whenever the statement starts, so a
 * level has those that it needs.
 */
export function detailsOf(level: Level, page: string): string {
  const sql = LEVEL_SQL[level];
  const holder = level === 'position' ? 'LEFT JOIN party holder ON holder.key = i.lender_key' : '';
  return `
    WITH page AS MATERIALIZED (${page}
    )
    SELECT CASE WHEN s.lender_key = 0 THEN ${itemArray(level)} END AS item,
      lender.id AS lender_id, lender.name AS lender_name,
      s.last_effective_date::text AS last_effective_date, coalesce(s.last_seq, 0) AS last_seq,
      s.amounts, s.overdrawn, s.overpaid, s.owes
    FROM page JOIN (${sql.items}) ON i.key = page.key
    ${holder}${termsJoins(level)}
    CROSS JOIN LATERAL (SELECT coalesce(dd.borrower_key, d.borrower_key) AS key ${BY_LOOKUP}) borrows
    CROSS JOIN LATERAL (${namedParty('borrows.key')}) borrower
    CROSS JOIN LATERAL (
      ${lenderSums(level, NEWEST_POSTING)}
    ) s
    LEFT JOIN LATERAL (${namedParty('s.lender_key')}) lender ON true
    ORDER BY page.number, s.lender_key`;
}

/** A party with its name at the snapshot: looked up once for many items of a page. */
function namedParty(key: string): string {
  return `SELECT y.id, ${partyName('y')} AS name FROM party y WHERE y.key = ${key} ${BY_LOOKUP}`;
}

/** Balances of given items at a snapshot, by item and lender. */
export function balancesStatement(
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
): Statement {
  const parameters = new Parameters(snapshot);
  const { items } = LEVEL_SQL[level];
  const text = `
    SELECT i.key, lender.id AS lender_id, lender.name AS lender_name, s.amounts
    FROM ${items}
    CROSS JOIN LATERAL (
      ${lenderSums(level)}
    ) s
    LEFT JOIN LATERAL (${namedParty('s.lender_key')}) lender ON true
    WHERE i.key = ANY(${parameters.add(keys)})`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}
