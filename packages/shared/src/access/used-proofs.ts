import { proofsUnavailable } from './token-refusals.ts';

/** The proofs of possession that were used (RFC 9449 §11.1). */
export interface UsedProofs {
  /**
   * Of concurrent callers one gets true. All name the same lifetime, after which a proof is too old.
   *
   * @throws where this cannot be known.
   */
  use(id: string, ttlS: number): Promise<boolean>;
}

/** Some 20 MB. */
export const USED_PROOFS_MAX = 200_000;

export interface UsedProofsOfProcess extends UsedProofs {
  readonly size: number;
}

/** Those that this process saw. Where there is no room for another, callers hear 503. */
export function memoryUsedProofs(
  nowMs: () => number = () => performance.now(),
  entriesMax = USED_PROOFS_MAX,
): UsedProofsOfProcess {
  /** The oldest is first. */
  const untilMs = new Map<string, number>();
  return {
    get size() {
      return untilMs.size;
    },
    async use(id, ttlS) {
      const now = nowMs();
      for (const [oldest, until] of untilMs) {
        if (now < until) break;
        untilMs.delete(oldest);
      }
      if (untilMs.has(id)) return false;
      if (untilMs.size >= entriesMax) throw proofsUnavailable();
      untilMs.set(id, now + ttlS * 1_000);
      return true;
    },
  };
}
