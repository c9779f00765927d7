import type { Level, PageRequest } from '../balances/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES } from './balance-levels.ts';
import { Parameters, type Statement } from './balance-statements.ts';
import { type Candidates, type WalkBounds, walkStatement } from './page-walk.ts';

/**
 * Walks items in the order of their keys.
 *
 * @param deals the only ones that may have items of the page, by their keys; undefined: the book
 * @param items all of these deals, where they are known: their keys as the literal of an array
 */
export function plainWalkStatement(
  request: PageRequest,
  bounds: WalkBounds,
  deals?: readonly bigint[],
  items?: string,
): Statement {
  const { level, filter, snapshot, after } = request;
  const parameters = new Parameters(snapshot);
  const place = parameters.add(after?.key ?? 0n);
  const candidates = (): Candidates => {
    if (deals === undefined) return ofBook(level, filter.includeZero, place);
    if (items !== undefined) return { sql: ofItems(parameters.add(items), place) };
    return { sql: ofDeals(level, parameters.add(deals), place) };
  };
  return walkStatement(request, parameters, candidates(), bounds);
}

function ofItems(items: string, place: string): string {
  return `SELECT key FROM unnest(${items}::bigint[]) AS known (key)
        WHERE key > ${place} ORDER BY key ${BY_LOOKUP}`;
}

function ofBook(level: Level, includeZero: boolean, place: string): Candidates {
  const table = ITEM_TABLES[level];
  if (includeZero || level === 'deal') {
    return { sql: `SELECT key FROM ${table} WHERE key > ${place} ORDER BY key` };
  }
  return {
    sql: `SELECT item_key AS key, currency, known_seq, lives_until FROM item_life
          WHERE level = '${level}' AND item_key > ${place} AND known_seq <= $2
          ORDER BY item_key`,
    lives: `c.lives_until > $1 AND NOT EXISTS (SELECT FROM item_life l
            WHERE l.level = '${level}' AND l.item_key = c.key AND l.currency = c.currency
              AND l.known_seq > c.known_seq AND l.known_seq <= $2 ${BY_LOOKUP})`,
  };
}

function ofDeals(level: Level, deals: string, place: string): string {
  return `SELECT i.key FROM unnest(${deals}::bigint[]) AS asked (key) CROSS JOIN LATERAL (
          SELECT key FROM ${ITEM_TABLES[level]}
          WHERE deal_key = asked.key AND key > ${place} ${BY_LOOKUP}) i
        ORDER BY i.key ${BY_LOOKUP}`;
}
