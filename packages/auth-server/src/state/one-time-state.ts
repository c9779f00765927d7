import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { digest } from '../crypto/digest.ts';
import { sealState, unsealState } from '../crypto/seal.ts';
import { whenAnswered } from './answering.ts';
import { type StateEntry, type StateStore, UNSETTLED_S } from './state-store.ts';

const LOOK_EVERY_MS = 50;

/**
 * What must come back once and soon: a challenge, an enrolment that is not proven yet, the state
 * of a redirect. Kept like all protocol state: under a digest of its id, sealed by the id.
 */
export interface OneTimeState<T extends object> {
  /**
   * @param id unguessable.
   * @param accountId ends it together with everything else of the account.
   */
  put(id: string, value: T, ttlS: number, accountId?: string): Promise<void>;
  /** Undefined when unknown, expired, or taken by a request that was answered. */
  look(id: string): Promise<T | undefined>;
  /**
   * As `look`, and it is gone once the request is answered: of concurrent requests one gets the
   * value. When that request fails, or dies, the next one gets it: the person tries again.
   */
  take(id: string): Promise<T | undefined>;
  drop(id: string): Promise<void>;
}

export function oneTimeState<T extends object>(store: StateStore, kind: string): OneTimeState<T> {
  const find = async (id: string): Promise<{ entry: StateEntry; value: T } | undefined> => {
    const entry = await store.find(kind, digest(id));
    const sealed = entry?.payload['sealed'];
    if (entry === undefined || typeof sealed !== 'string') return undefined;
    const over = entry.consumedAtS !== undefined && entry.spent?.settled !== false;
    return over ? undefined : { entry, value: JSON.parse(unsealState(sealed, id)) as T };
  };
  return {
    async put(id, value, ttlS, accountId) {
      const payload = { sealed: sealState(JSON.stringify(value), id) };
      const account = accountId === undefined ? {} : { account: digest(accountId) };
      await store.put({ kind, key: digest(id), payload, ttlS, ...account });
    },
    look: async (id) => (await find(id))?.value,
    drop: (id) => store.remove(kind, digest(id)),
    async take(id) {
      const key = digest(id);
      for (;;) {
        const found = await find(id);
        if (found === undefined) return undefined;
        const { spent } = found.entry;
        const taken =
          spent === undefined
            ? (await store.consume(kind, key, { attempt: randomUUID() })) === 'won'
            : spent.forS > UNSETTLED_S;
        if (taken) {
          await whenAnswered(() => store.settle(kind, key, 0));
          return found.value;
        }
        if (spent !== undefined) await sleep(LOOK_EVERY_MS); // The first request is about to answer.
      }
    },
  };
}
