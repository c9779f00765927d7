import { proofsUnavailable } from './token-refusals.ts';

/** The proofs of possession that were used (RFC 9449 §11.1). */
export interface UsedProofs {
  /**
   * Of concurrent callers one gets true. All name the same lifetime, after which a proof is too old.
   *
   * @param customer whose proof it is: where there is no endless room, none takes that of all others.
   * @throws where this cannot be known.
   */
  use(id: string, ttlS: number, customer: string): Promise<boolean>;
}

/** Some 20 MB. */
export const USED_PROOFS_MAX = 200_000;
/** A customer may have one in so many of the most. */
const CUSTOMER_SHARE = 4;

export interface UsedProofsOfProcess extends UsedProofs {
  readonly size: number;
}

/** Those that this process saw. Where there is no room for another, callers hear 503. */
export function memoryUsedProofs(
  nowMs: () => number = () => performance.now(),
  entriesMax = USED_PROOFS_MAX,
): UsedProofsOfProcess {
  /** The oldest is first. */
  const used = new Map<string, { readonly untilMs: number; readonly customer: string }>();
  const countOf = new Map<string, number>();
  const count = (customer: string, change: number) => {
    const sum = (countOf.get(customer) ?? 0) + change;
    if (sum === 0) countOf.delete(customer);
    else countOf.set(customer, sum);
  };
  return {
    get size() {
      return used.size;
    },
    async use(id, ttlS, customer) {
      const now = nowMs();
      for (const [oldest, { untilMs, customer: its }] of used) {
        if (now < untilMs) break;
        used.delete(oldest);
        count(its, -1);
      }
      if (used.has(id)) return false;
      const isFull = (countOf.get(customer) ?? 0) >= entriesMax / CUSTOMER_SHARE;
      if (isFull || used.size >= entriesMax) throw proofsUnavailable();
      used.set(id, { untilMs: now + ttlS * 1_000, customer });
      count(customer, 1);
      return true;
    },
  };
}
