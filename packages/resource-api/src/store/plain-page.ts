import type { Transaction } from '@cls/shared/sql/database';
import type { Level, PageRequest, ReaderAccess } from '../balances/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES, LEVEL_SQL, livesUntil } from './balance-levels.ts';
import { conditions, detailsOf, Parameters, type Statement } from './balance-statements.ts';
import { FEW_DEALS, fewDeals } from './few-deals.ts';

/**
 * Up to `limit` + 1 items in the order of their keys. Where the filter or the caller's grants leave
 * few deals, among their items; otherwise the book is walked until the page is full.
 */
export async function readPlainPage<Row>(
  transaction: Transaction,
  access: ReaderAccess,
  request: PageRequest,
): Promise<Row[]> {
  const { sql, parameters } = plainPageStatement(
    request,
    await fewDeals(transaction, access, request, FEW_DEALS.toWalk),
  );
  return transaction.query<Row>(sql, parameters);
}

/**
 * @param deals the only ones that may have items of the page, by their keys; undefined: the book
 */
export function plainPageStatement(request: PageRequest, deals?: readonly bigint[]): Statement {
  const { level, filter, snapshot, after, limit } = request;
  const parameters = new Parameters(snapshot);
  const place = parameters.add(after?.key ?? 0n);
  const candidates =
    deals === undefined
      ? walked(level, filter.includeZero, place)
      : itemsOf(level, parameters.add(deals), place);
  const sql = LEVEL_SQL[level];
  const where = conditions(sql, level, filter, parameters, 'of the candidate');
  // Joins are lateral, so rows come in the order of the candidates, and no more than are needed.
  const page = `
      SELECT item.key, NULL AS sort_value, row_number() OVER () AS number
      FROM (${candidates}) c CROSS JOIN LATERAL (
        SELECT i.key FROM ${sql.items}
        WHERE i.key = c.key AND ${where.join('\n          AND ')} ${BY_LOOKUP}) item
      LIMIT ${parameters.add(limit + 1)}`;
  const text = detailsOf(level, page);
  return { sql: text, parameters: parameters.values };
}

/** Items of the book after a place; those that have ended, or never lived, are passed over. */
function walked(level: Level, includeZero: boolean, place: string): string {
  const table = ITEM_TABLES[level];
  if (includeZero) return `SELECT key FROM ${table} WHERE key > ${place} ORDER BY key`;
  if (level === 'deal') {
    return `SELECT i.key FROM ${table} i
        WHERE i.key > ${place} AND ${livesUntil(level, 'i.key')} > $1 ORDER BY i.key`;
  }
  return `SELECT item_key AS key FROM item_life n
        WHERE level = '${level}' AND item_key > ${place} AND known_seq <= $2 AND lives_until > $1
          AND NOT EXISTS (SELECT FROM item_life l
            WHERE l.level = '${level}' AND l.item_key = n.item_key AND l.currency = n.currency
              AND l.known_seq > n.known_seq AND l.known_seq <= $2 ${BY_LOOKUP})
        ORDER BY item_key`;
}

function itemsOf(level: Level, deals: string, place: string): string {
  return `SELECT i.key FROM unnest(${deals}::bigint[]) AS asked (key) CROSS JOIN LATERAL (
          SELECT key FROM ${ITEM_TABLES[level]}
          WHERE deal_key = asked.key AND key > ${place} ${BY_LOOKUP}) i
        ORDER BY i.key ${BY_LOOKUP}`;
}
