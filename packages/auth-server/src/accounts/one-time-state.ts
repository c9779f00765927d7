import { digest, seal, unseal } from '../provider/state/sealing.ts';
import type { StateStore } from '../provider/state/state-store.ts';

/**
 * What must come back once and soon: a challenge, an enrolment that is not proven yet, the state
 * of a redirect. Kept like all protocol state: under a digest of its id, sealed by the id.
 */
export interface OneTimeState<T extends object> {
  /** @param id unguessable. */
  put(id: string, value: T, ttlS: number): Promise<void>;
  /** Undefined when unknown, expired or taken. */
  look(id: string): Promise<T | undefined>;
  /** As `look`, and it is gone: of concurrent callers exactly one gets the value. */
  take(id: string): Promise<T | undefined>;
}

export function oneTimeState<T extends object>(store: StateStore, kind: string): OneTimeState<T> {
  const look = async (id: string): Promise<T | undefined> => {
    const entry = await store.find(kind, digest(id));
    const sealed = entry?.payload['sealed'];
    if (entry?.consumedAtS !== undefined || typeof sealed !== 'string') return undefined;
    return JSON.parse(unseal(sealed, id)) as T;
  };
  return {
    async put(id, value, ttlS) {
      const payload = { sealed: seal(JSON.stringify(value), id) };
      await store.put({ kind, key: digest(id), payload, ttlS });
    },
    look,
    async take(id) {
      const value = await look(id);
      if (value === undefined) return undefined;
      return (await store.consume(kind, digest(id))) === 'won' ? value : undefined;
    },
  };
}
