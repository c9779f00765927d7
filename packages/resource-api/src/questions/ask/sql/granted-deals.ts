import type { Transaction } from '@cls/shared/sql/database';
import type { BookMemory } from '../../../memory/memories.ts';
import type { PageRequest, ReaderAccess } from '../balance-store.ts';
import { FEW_DEALS, grantedStatement, narrowsDeals } from './few-deals.ts';

/** What a caller's grants leave of the book. */
export interface Granted {
  /** The day by which the database decided which grants have begun. */
  readonly today: string;
  /** By their keys; undefined where they are not few. */
  readonly deals: readonly bigint[] | undefined;
}

export interface GrantedDeals {
  /** Undefined where the filter names deals too, or nobody said in which state of the book it asks. */
  of(
    transaction: Transaction,
    access: ReaderAccess,
    request: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  ): Promise<Granted | undefined>;
}

/** Of a key in an array. */
const KEY_BYTES = 24;

/**
 * Deals that a caller was granted, looked up once for a state of the book. They only say where a page may
 * look: each item and line is read under row-level security as before.
 */
export function grantedDeals(memory: BookMemory): GrantedDeals {
  return {
    async of(transaction, access, request) {
      const { edition } = request.snapshot;
      if ('fullControl' in access || edition === undefined) return undefined;
      if (narrowsDeals(request)) return undefined;
      const question = `granted ${access.customer}`;
      const lookUp = () => find(transaction);
      const found = await memory.once(edition, question, lookUp, bytesOf);
      // A grant may begin with a day, which the database decides by its own clock.
      return found.today === edition.today ? found : lookUp();
    },
  };
}

function bytesOf({ deals = [] }: Granted): number {
  return deals.length * KEY_BYTES;
}

async function find(transaction: Transaction): Promise<Granted> {
  const [row] = await transaction.query<GrantedRow>(GRANTED);
  return { today: row?.today ?? '', deals: row?.deals ?? undefined };
}

interface GrantedRow {
  readonly today: string;
  readonly deals: readonly bigint[] | null;
}

const GRANTED = `
    SELECT (now() AT TIME ZONE 'UTC')::date AS today, few.deals
    FROM (SELECT 1) one LEFT JOIN (${grantedStatement(FEW_DEALS.toWalk)}) few ON true`;
