import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Clock } from '@cls/shared/clock';
import { businessDateOf } from '../../ledger/business-date.ts';
import { type BookMemory, openMemories } from '../../memory/memories.ts';
import type { BalanceStore, Edition, LedgerState } from './balance-store.ts';

/** Where the ledger stands now. */
export interface CurrentLedger {
  /**
   * Includes everything that was committed before the call. Each look-up asks the database, once
   * for all calls that arrived before it began.
   */
  state(): Promise<LedgerState>;
}

export function currentLedger(
  store: BalanceStore,
  clock: Clock,
  memory: BookMemory = openMemories().book,
): CurrentLedger {
  return {
    state: sharedLookUp(async () => {
      const generation = await store.generation();
      const today = businessDateOf(clock.now());
      // May be of a later generation, which then includes more than was asked for.
      return memory.once({ generation, today }, 'state', () => store.ledgerState(today));
    }),
  };
}

/** Answers from the newest state of the book, and says which one that was. */
export async function answerNow<T>(
  ledger: CurrentLedger,
  answer: (state: LedgerState) => Promise<T>,
): Promise<T & { readonly edition: Edition }> {
  const state = await ledger.state();
  return { ...(await answer(state)), edition: state };
}

/**
 * One look-up is under way at a time; calls that come meanwhile share the next one. A call never joins a
 * look-up that has begun: what was committed in between would be missing.
 */
export function sharedLookUp<T>(lookUp: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    // Calls that arrived with the same turn of the event loop come before.
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
