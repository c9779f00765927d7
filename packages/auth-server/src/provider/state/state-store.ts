/**
 * Short-lived protocol state: sessions, interactions, grants, codes, refresh tokens, replay
 * detection, second-factor tokens. Keys are digests; the ids themselves are never stored.
 */
export interface StateStore {
  /** False when `onlyIfAbsent` and the entry exists: of concurrent callers one gets true. */
  put(entry: NewStateEntry, options?: { readonly onlyIfAbsent?: boolean }): Promise<boolean>;
  /** Undefined when missing, expired, or of a grant that was revoked. */
  find(kind: string, key: string): Promise<StateEntry | undefined>;
  findBy(kind: string, index: 'uid' | 'userCode', value: string): Promise<StateEntry | undefined>;
  /** Of concurrent callers exactly one gets `won`. Never brings an entry back. */
  consume(kind: string, key: string): Promise<'won' | 'already' | 'gone'>;
  remove(kind: string, key: string): Promise<void>;
  /** Ends everything of the grant, what is being minted meanwhile included. */
  revokeGrant(grantId: string): Promise<void>;
  /** Resolves when the store can be used. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface StateEntry {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumedAtS?: number;
}

export interface NewStateEntry {
  readonly kind: string;
  readonly key: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds, 1 or more. */
  readonly ttlS: number;
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
}

/** Longer than any entry lives: how long a revoked grant is remembered, in seconds. */
export const REVOKED_GRANT_TTL_S = 400 * 86_400;
