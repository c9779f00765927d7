import type { Edition, LedgerState } from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';

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
