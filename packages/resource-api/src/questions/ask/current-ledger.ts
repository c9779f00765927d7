import type { Clock } from '@cls/shared/clock';
import { type BusinessDate, businessDateOf } from '../../ledger/business-date.ts';
import { type BookMemory, openMemories } from '../../memory/memories.ts';
import type { BalanceStore, Edition, LedgerState } from './balance-store.ts';

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
 * Answers from the newest state of the book, and says which one that was.
 *
 * An answer is begun while the database is asked where the book stands, from where it stood last: mostly
 * it stands there still, and the question need not wait for the look-up. A page looks this up itself, in
 * its own trip.
 */
export function answerNow(ledger: CurrentLedger) {
  return async <T>(
    answer: (state: LedgerState) => Promise<T>,
    isPage = false,
  ): Promise<T & { readonly edition: Edition }> => {
    const { likely, today } = ledger;
    const seen: LedgerState['seen'] = {};
    const begun = likely && answer({ ...likely, seen });
    // Where the book has changed meanwhile, nobody asks what became of it.
    const ended = begun?.catch(() => undefined);
    if (isPage && ledger.isToldByPages) await ended;
    const isStill = (generation: bigint | undefined) =>
      likely?.generation === generation && ledger.today === today;
    const state = likely && isStill(seen.generation) ? likely : await ledger.state();
    const edition = { generation: state.generation, today: ledger.today };
    const made = await (begun && isStill(state.generation) ? begun : answer(state));
    return { ...made, edition };
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
