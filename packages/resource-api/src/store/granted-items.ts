import type { Transaction } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { Level, PageRequest, ReaderAccess } from '../balances/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES } from './balance-levels.ts';
import { FEW_DEALS, grantedStatement, narrowsDeals } from './few-deals.ts';

/** What a caller's grants leave of the book. */
export interface Granted {
  /** By their keys; undefined where they are not few. */
  readonly deals: readonly bigint[] | undefined;
  /** The keys of their items in order, as the literal of an array; undefined where that is long. */
  readonly items: string | undefined;
}

export interface GrantedItems {
  /** Undefined where the filter names deals too, or nobody said in which state of the book it asks. */
  of(
    transaction: Transaction,
    access: ReaderAccess,
    request: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  ): Promise<Granted | undefined>;
}

interface Kept extends Granted {
  readonly generation: bigint;
  readonly today: string;
}

const KEPT = 200;
const ITEMS_CHARS_MAX = 32 * 1024;

/**
 * Deals and items that a caller was granted, looked up once for a state of the book. They only say where
 * a page may look: each item and line is read under row-level security as before.
 */
export function grantedItems(): GrantedItems {
  const kept = new LRUCache<string, Kept>({ max: KEPT });
  return {
    async of(transaction, access, { level, filter, snapshot: { edition } }) {
      if ('fullControl' in access || edition === undefined) return undefined;
      if (narrowsDeals(level, filter)) return undefined;
      const key = `${access.customer} ${level}`;
      const { generation } = edition;
      const known = kept.get(key);
      if (known?.generation === generation && known.today === edition.today) return known;
      const [row] = await transaction.query<GrantedRow>(statementOf(level));
      const { today = '', deals, items } = row ?? {};
      const short = items != null && items.length <= ITEMS_CHARS_MAX;
      const found = { deals: deals ?? undefined, items: short ? items : undefined };
      // A grant may begin with a day, which the database decides by its own clock.
      if (today === edition.today) kept.set(key, { ...found, generation, today });
      return found;
    },
  };
}

interface GrantedRow {
  readonly today: string;
  readonly deals: readonly bigint[] | null;
  readonly items: string | null;
}

function statementOf(level: Level): string {
  return `
    SELECT (now() AT TIME ZONE 'UTC')::date AS today, few.deals,
      (SELECT array_agg(i.key ORDER BY i.key) FROM unnest(few.deals) AS asked (key)
       CROSS JOIN LATERAL (SELECT key FROM ${ITEM_TABLES[level]}
         WHERE deal_key = asked.key ${BY_LOOKUP}) i)::text AS items
    FROM (SELECT 1) one LEFT JOIN (${grantedStatement(FEW_DEALS.toWalk)}) few ON true`;
}
