import type { Transaction } from '@cls/shared/sql/database';
import type { Level, PageRequest, ReaderAccess } from '../balances/balance-store.ts';
import type { BookMemory } from '../memory/book-memory.ts';
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

const ITEMS_CHARS_MAX = 32 * 1024;
/** Of a key in an array. */
const KEY_BYTES = 24;

/**
 * Deals and items that a caller was granted, looked up once for a state of the book. They only say where
 * a page may look: each item and line is read under row-level security as before.
 */
export function grantedItems(memory: BookMemory): GrantedItems {
  return {
    async of(transaction, access, request) {
      const { level, snapshot } = request;
      const { edition } = snapshot;
      if ('fullControl' in access || edition === undefined) return undefined;
      if (narrowsDeals(request)) return undefined;
      const question = `granted ${level} ${access.customer}`;
      const found = await memory.once(edition, question, () => find(transaction, level), bytesOf);
      // A grant may begin with a day, which the database decides by its own clock.
      return found.today === edition.today ? found : find(transaction, level);
    },
  };
}

function bytesOf({ deals = [], items = '' }: Granted): number {
  return deals.length * KEY_BYTES + items.length;
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
