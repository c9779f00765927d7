/**
 * Short-lived protocol state: sessions, interactions, grants, codes, refresh tokens, replay
 * detection, second-factor tokens. Keys are digests; the ids themselves are never stored.
 */
export interface StateStore {
  /** False when `onlyIfAbsent` and the entry exists: of concurrent callers one gets true. */
  put(entry: NewStateEntry, options?: { readonly onlyIfAbsent?: boolean }): Promise<boolean>;
  /** Undefined when missing, expired, of a grant that was revoked or an account that was ended. */
  find(kind: string, key: string): Promise<StateEntry | undefined>;
  findBy(kind: string, index: 'uid' | 'userCode', value: string): Promise<StateEntry | undefined>;
  /**
   * Of concurrent callers exactly one gets `won`. Never brings an entry back. The answer is kept
   * in the same step: an entry is never spent without it.
   */
  consume(kind: string, key: string, spending?: Spending): Promise<'won' | 'already' | 'gone'>;
  /**
   * The answer that an entry was consumed for goes out: no attempt may consume the entry again.
   *
   * @param keepS seconds for which the answer is still kept; 0 drops it.
   */
  settle(kind: string, key: string, keepS: number): Promise<void>;
  remove(kind: string, key: string): Promise<void>;
  /** Ends everything of the grant, what is being minted meanwhile included. */
  revokeGrant(grantId: string): Promise<void>;
  /**
   * Ends everything that was first put for the account until now, without listing it; what is
   * written again later for the same account stays ended.
   *
   * @param keep the one entry that stays, such as the session that asks.
   */
  endAccount(account: string, keep?: EntryName): Promise<void>;
  /** Tells other services that listen to the channel, where the store can. */
  announce?(channel: string): Promise<void>;
  /** Forgets all of it, for a store that a backup has brought back. No server may run meanwhile. */
  clear(): Promise<void>;
  /** Resolves when the store can be used. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface StateEntry {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds since it was first put, by the store's clock alone. */
  readonly ageS: number;
  /** By the store's clock. */
  readonly consumedAtS?: number;
  /** Kept for `SPENT_TTL_S` after the consumption, or until it is settled. */
  readonly spent?: SpentBy;
}

/** One consumption of an entry. */
export interface Spending {
  /**
   * Names the attempt. The same attempt wins again until it is settled, because the store's first
   * reply may have been lost.
   */
  readonly attempt: string;
  /** The answer that the caller gets; sealed. */
  readonly answer?: string;
}

export interface SpentBy extends Partial<Spending> {
  /** Seconds since then, by the store's clock alone. */
  readonly forS: number;
  /** False while it is not known whether the caller got the answer. */
  readonly settled: boolean;
}

/**
 * Seconds after which a consumption that nobody settled counts as failed: its request was refused,
 * or its process died. Less than the `Retry-After` of such a failure.
 */
export const UNSETTLED_S = 1.5;

/** How long the answer of a consumption is kept that was never settled, in seconds. */
export const SPENT_TTL_S = 300;

export interface EntryName {
  readonly kind: string;
  readonly key: string;
}

export interface NewStateEntry extends EntryName {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds, 1 or more. */
  readonly ttlS: number;
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
  /** Digest of the id of the person it is for. */
  readonly account?: string;
}

/**
 * How long an end is remembered, in seconds: longer than any entry lives, which is what
 * REFRESH_TOKEN_TTL may be at most, 90 days, and the margin of its grant.
 */
export const END_TTL_S = 100 * 86_400;
