import type { Transaction } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { Level, PageRequest, ReaderAccess } from '../balances/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES } from './balance-levels.ts';
import { FEW_DEALS, grantedStatement, narrowsDeals } from './few-deals.ts';

/** What a caller's grants leave of the book. */
export interface Granted {
  /** The day by which the database decided which grants have begun. */
  readonly today: string;
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
}

const KEPT = 200;
const ITEMS_CHARS_MAX = 32 * 1024;

/**
 * Deals and items that a caller was granted, looked up once for a state of the book. They only say where
 * a page may look: each item and line is read under row-level security as before.
 */
export function grantedItems(): GrantedItems {
  const kept = new LRUCache<string, Kept>({ max: KEPT });
  const asked = new Map<string, Promise<Granted>>();
  return {
    async of(transaction, access, request) {
      const { level, snapshot } = request;
      const { edition } = snapshot;
      if ('fullControl' in access || edition === undefined) return undefined;
      if (narrowsDeals(request)) return undefined;
      const key = `${access.customer} ${level}`;
      const { generation } = edition;
      const known = kept.get(key);
      if (known?.generation === generation && known.today === edition.today) return known;
      // A page and its totals ask at the same time. The one that is waited for may be cancelled.
      const name = `${key} ${generation} ${edition.today}`;
      const shared = await asked.get(name)?.catch(() => undefined);
      if (shared !== undefined) return shared;
      const finding = find(transaction, level);
      asked.set(name, finding);
      try {
        const found = await finding;
        // A grant may begin with a day, which the database decides by its own clock.
        if (found.today === edition.today) kept.set(key, { ...found, generation });
        return found;
      } finally {
        asked.delete(name);
      }
    },
  };
}

async function find(transaction: Transaction, level: Level): Promise<Granted> {
  const [row] = await transaction.query<GrantedRow>(statementOf(level));
  const { today = '', deals, items } = row ?? {};
  const short = items != null && items.length <= ITEMS_CHARS_MAX;
  return { today, deals: deals ?? undefined, items: short ? items : undefined };
}

interface GrantedRow {
  readonly today: string;
  readonly deals: readonly bigint[] | null;
  readonly items: string | null;
}

function statementOf(level: Level): string {
  return `
    SELECT (now() AT TIME ZONE 'UTC')::date AS today, few.deals,
      (SELECT coalesce(array_agg(i.key ORDER BY i.key), '{}') FROM unnest(few.deals) AS asked (key)
       CROSS JOIN LATERAL (SELECT key FROM ${ITEM_TABLES[level]}
         WHERE deal_key = asked.key ${BY_LOOKUP}) i HAVING few.deals IS NOT NULL)::text AS items
    FROM (SELECT 1) one LEFT JOIN (${grantedStatement(FEW_DEALS.toWalk)}) few ON true`;
}
