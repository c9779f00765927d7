import type { Clock } from '@cls/shared/clock';
import { type BusinessDate, businessDateOf } from '../ledger/business-date.ts';
import type { BalanceStore, LedgerState } from './balance-store.ts';

/** Where the ledger stands now. */
export interface CurrentLedger {
  /**
   * Includes everything that was committed before the call. Each look-up asks the database, once
   * for all calls that arrived before it began.
   */
  state(): Promise<LedgerState>;
  readonly today: BusinessDate;
}

export function currentLedger(store: BalanceStore, clock: Clock): CurrentLedger {
  const today = () => businessDateOf(clock.now());
  const generation = sharedLookUp(() => store.generation());
  let known: { date: BusinessDate; generation: bigint; state: Promise<LedgerState> } | undefined;
  return {
    get today() {
      return today();
    },
    async state() {
      const now = await generation();
      const date = today();
      if (known?.generation === now && known.date === date) return known.state;
      // May return a later generation than `now`, which then includes more than was asked for.
      const state = store.ledgerState(date);
      const mine = { date, generation: now, state };
      known = mine;
      state.catch(() => {
        if (known === mine) known = undefined;
      });
      return state;
    },
  };
}

/**
 * Calls of one turn of the event loop share a look-up that begins after them. A call never joins
 * a look-up that has begun: what was committed in between would be missing.
 */
export function sharedLookUp<T>(lookUp: () => Promise<T>): () => Promise<T> {
  let waiting: Promise<T> | undefined;
  return () => {
    waiting ??= new Promise<T>((resolve, reject) => {
      setImmediate(() => {
        waiting = undefined;
        lookUp().then(resolve, reject);
      });
    });
    return waiting;
  };
}
