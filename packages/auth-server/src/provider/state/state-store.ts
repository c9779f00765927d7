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
  /** Of concurrent callers exactly one gets `won`. Never brings an entry back. */
  consume(kind: string, key: string): Promise<'won' | 'already' | 'gone'>;
  remove(kind: string, key: string): Promise<void>;
  /** Ends everything of the grant, what is being minted meanwhile included. */
  revokeGrant(grantId: string): Promise<void>;
  /**
   * Ends everything that was first put for the account until now, without listing it; what is
   * written again later for the same account stays ended.
   *
   * @param keep the one entry that goes on, such as the session that asks.
   */
  endAccount(account: string, keep?: EntryName): Promise<void>;
  /** Resolves when the store can be used. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface StateEntry {
  readonly payload: Readonly<Record<string, unknown>>;
  /** With its fraction: a grace of a second counts from here. */
  readonly consumedAtS?: number;
}

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
