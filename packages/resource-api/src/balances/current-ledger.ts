import type { Clock } from '@cls/shared/clock';
import { type BusinessDate, businessDateOf } from '../ledger/business-date.ts';
import type { BalanceStore, LedgerState } from './balance-store.ts';

/**
 * Where the ledger stands now, kept in memory and told of changes by the database. `generation`
 * changes with every change; it is undefined while changes would not be heard of, and then
 * nothing that depends on the ledger may be kept.
 */
export interface CurrentLedger {
  state(): Promise<LedgerState>;
  readonly generation: number | undefined;
  readonly today: BusinessDate;
}

export async function currentLedger(store: BalanceStore, clock: Clock): Promise<CurrentLedger> {
  let generation = 0;
  let hearing = true;
  let known: { today: BusinessDate; generation: number; state: Promise<LedgerState> } | undefined;
  await store.onChange((what) => {
    generation += 1;
    if (what !== 'changed') hearing = what === 'resumed';
  });
  const today = () => businessDateOf(clock.now());
  return {
    get generation() {
      return hearing ? generation : undefined;
    },
    get today() {
      return today();
    },
    state() {
      const date = today();
      if (hearing && known?.generation === generation && known.today === date) return known.state;
      const state = store.ledgerState(date);
      known = { today: date, generation, state };
      state.catch(() => {
        known = undefined;
      });
      return state;
    },
  };
}
