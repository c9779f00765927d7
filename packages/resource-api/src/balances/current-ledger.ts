import type { Clock } from '@cls/shared/clock';
import { type BusinessDate, businessDateOf } from '../ledger/business-date.ts';
import type { BookMemory } from '../memory/book-memory.ts';
import { openMemories } from '../memory/memories.ts';
import type { BalanceStore, LedgerState } from './balance-store.ts';

/** Where the ledger stands now. */
export interface CurrentLedger {
  /**
   * Includes everything that was committed before the call. Each look-up asks the database, once
   * for all calls that arrived before it began.
   */
  state(): Promise<LedgerState>;
  /**
   * Where it stood when it was last looked up: an answer that is begun from it stands only if `state`
   * says the same. Undefined while the book changes from one look-up to the next.
   */
  readonly likely: LedgerState | undefined;
  /** Whether a page says itself in which generation it was read. */
  readonly isToldByPages: boolean;
  readonly today: BusinessDate;
}

export function currentLedger(
  store: BalanceStore,
  clock: Clock,
  memory: BookMemory = openMemories().book,
): CurrentLedger {
  const today = () => businessDateOf(clock.now());
  let likely: { readonly date: BusinessDate; readonly state: LedgerState } | undefined;
  return {
    isToldByPages: store.pagesTellGeneration,
    get likely() {
      return likely?.date === today() ? likely.state : undefined;
    },
    get today() {
      return today();
    },
    state: sharedLookUp(async () => {
      const generation = await store.generation();
      const date = today();
      const edition = { generation, today: date };
      const isSame = memory.has(edition, 'state');
      likely = undefined;
      // May be of a later generation, which then includes more than was asked for.
      const state = await memory.once(edition, 'state', () => store.ledgerState(date));
      if (isSame) likely = { date, state };
      return state;
    }),
  };
}

/**
 * One look-up is under way at a time; calls that come meanwhile share the next one. A call never joins a
 * look-up that has begun: what was committed in between would be missing.
 */
export function sharedLookUp<T>(lookUp: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    await endOfTurn();
    await underWay;
    waiting = undefined;
    const result = lookUp();
    underWay = result.catch(() => undefined);
    return result;
  };
  return () => {
    waiting ??= begin();
    return waiting;
  };
}

/** Calls that arrived with the same turn of the event loop come before. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
