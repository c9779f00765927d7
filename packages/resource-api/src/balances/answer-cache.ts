import { LRUCache } from 'lru-cache';
import type { CurrentLedger } from './current-ledger.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/**
 * Keeps rendered answers while the ledger, the entitlements and the day are the same, so that a
 * repeated question costs a look-up. Reads through while changes would not be heard of.
 */
export function answerCache<T extends { readonly body: string | Buffer }>(ledger: CurrentLedger) {
  const answers = new LRUCache<string, T>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });
  let validFor = '';
  return async (question: string, answer: () => Promise<T>): Promise<T> => {
    const { generation } = ledger;
    if (generation === undefined) return answer();
    const now = `${generation} ${ledger.today}`;
    if (validFor !== now) {
      answers.clear();
      validFor = now;
    }
    const known = answers.get(question);
    if (known !== undefined) return known;
    const fresh = await answer();
    // A change that came while we read may not be in what we read.
    if (ledger.generation === generation && validFor === now) answers.set(question, fresh);
    return fresh;
  };
}
