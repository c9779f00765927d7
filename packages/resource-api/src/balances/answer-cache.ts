import { LRUCache } from 'lru-cache';
import type { LedgerState } from './balance-store.ts';
import type { CurrentLedger, Edition } from './current-ledger.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/**
 * Keeps rendered answers, so that a repeated question costs one look-up. A kept answer is used
 * only for the generation of the book and the day that it was made for.
 */
export function answerCache<T extends { readonly body: string | Buffer }>(ledger: CurrentLedger) {
  type Kept = T & { readonly keptFor: Edition };
  const answers = new LRUCache<string, Kept>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });
  return async (question: string, answer: (state: LedgerState) => Promise<T>): Promise<Kept> => {
    const state = await ledger.state();
    const { generation } = state;
    const { today } = ledger;
    const key = `${generation} ${today} ${question}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const fresh = { ...(await answer(state)), keptFor: { generation, today } };
    answers.set(key, fresh);
    return fresh;
  };
}
