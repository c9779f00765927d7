import { LRUCache } from 'lru-cache';
import type { Edition, LedgerState } from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/**
 * Keeps rendered answers, so that a repeated question costs one look-up. A kept answer is used
 * only for the generation of the book and the day that it was made for.
 *
 * A new answer is begun while the database is asked where the book stands, from where it stood last:
 * most questions find it there still, and need not wait for the look-up first. A page looks this up
 * itself, in its own trip.
 */
export function answerCache<T extends { readonly body: string | Buffer }>(ledger: CurrentLedger) {
  type Kept = T & { readonly keptFor: Edition };
  const answers = new LRUCache<string, Kept>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });
  return async (
    question: string,
    answer: (state: LedgerState) => Promise<T>,
    isPage = false,
  ): Promise<Kept> => {
    const { likely } = ledger;
    const keyAt = ({ generation }: LedgerState) => `${generation} ${ledger.today} ${question}`;
    const seen: LedgerState['seen'] = {};
    const begun =
      likely === undefined || answers.has(keyAt(likely))
        ? undefined
        : { state: likely, key: keyAt(likely), answer: answer({ ...likely, seen }) };
    // Where the book has changed meanwhile, nobody asks what became of it.
    const ended = begun?.answer.catch(() => undefined);
    if (isPage && ledger.isToldByPages) await ended;
    const isThere =
      begun !== undefined &&
      begun.state.generation === seen.generation &&
      begun.key === keyAt(begun.state);
    const state = isThere ? begun.state : await ledger.state();
    const { generation } = state;
    const { today } = ledger;
    const key = keyAt(state);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const made = await (begun?.key === key ? begun.answer : answer(state));
    const fresh = { ...made, keptFor: { generation, today } };
    answers.set(key, fresh);
    return fresh;
  };
}
