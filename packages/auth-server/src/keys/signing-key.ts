import type { JWK } from 'jose';

/** `staged`: published, not signing yet. `active`: signs. `retiring`: published until `exp`. */
export type SigningKeyState = 'staged' | 'active' | 'retiring';

export interface SigningKey {
  readonly kid: string;
  readonly state: SigningKeyState;
  /** RSA private JWK with `alg: RS256`, `use: sig`, `kid`. Lives in memory only, sealed at rest. */
  readonly privateJwk: JWK;
}

export interface SigningKeyStore {
  /** All published keys, the active one first. Makes the first key when there is none. */
  load(): Promise<readonly [SigningKey, ...SigningKey[]]>;
  /** @throws {UnsealFailed} when there are keys and this encryption key does not open them. */
  assertOpens(): Promise<void>;
  /** What is published, without private parts, oldest first. */
  list(): Promise<readonly SigningKeyListing[]>;
  /** Calls back after keys were added, promoted or removed, by any process. */
  onChange(listener: () => void): Promise<void>;
}

export interface SigningKeyListing {
  readonly kid: string;
  readonly state: SigningKeyState;
  /** RFC 3339. */
  readonly createdAt: string;
}
