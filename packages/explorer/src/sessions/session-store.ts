/** Sessions, and what is good once. Keys are digests; what they name is sealed. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /** The sealed session; undefined when there is none, or none any more. */
  find(key: string): Promise<string | undefined>;
  /** Puts `to` in the place of `from`. False where that is not there any more: it ended, or changed. */
  replace(key: string, from: string, to: string): Promise<boolean>;
  /** Of concurrent callers one gets true, and the next one `forMs` later. */
  lease(key: string, forMs: number): Promise<boolean>;
  end(key: string): Promise<void>;
  /**
   * Ends each session of that `sid`, also one that is being created meanwhile.
   *
   * @param ttlS how long that is remembered: as long as a session lives.
   */
  endAll(sid: string, ttlS: number): Promise<void>;
  /** False when it is there already: of concurrent callers one gets true. */
  keepOnce(entry: OnceEntry): Promise<boolean>;
  /** What is there, and stays. */
  look(kind: OnceKind, key: string): Promise<string | undefined>;
  /** Takes it out: of concurrent callers one gets it. */
  take(kind: OnceKind, key: string): Promise<string | undefined>;
  /** Resolves when the store can be written to. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly key: string;
  /** Digest of the issuer's name of the session. */
  readonly sid: string;
  readonly sealed: string;
  readonly ttlS: number;
}

/** A sign-in that is under way, the id of a logout token, a `sid` that ended. */
export type OnceKind = 'sign-in' | 'logout-token' | 'ended';

export interface OnceEntry {
  readonly kind: OnceKind;
  readonly key: string;
  readonly sealed: string;
  readonly ttlS: number;
}
