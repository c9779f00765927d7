import { ACCESS_TOKEN_ALG, ACCESS_TOKEN_TTL_MAX_S } from '@cls/shared/access-token';
import type { JWK } from 'jose';

/** `staged`: published, not signing yet. `active`: signs. `retiring`: published until it is removed. */
export type SigningKeyState = 'staged' | 'active' | 'retiring';

/**
 * Key sets are cached for 300 s (oauth/discovery/metadata.ts); a cache in front may add as much
 * again.
 */
export const PUBLISHED_FIRST_S = 600;
/**
 * No token outlives its key: 24 hours, and one more for clocks and for a replica that learns of the
 * change late.
 */
export const PUBLISHED_AFTER_S = ACCESS_TOKEN_TTL_MAX_S + 3_600;
/**
 * Each key signs with both and is published once for each. FAPI 2.0 §5.4.1 forbids RS256: applications
 * that are held to it get ID tokens with PS256.
 */
export const SIGNING_ALGS = [ACCESS_TOKEN_ALG, 'PS256'] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** Verifiers refuse sets of more than 16 (packages/shared/src/access/key-check.ts). */
export const PUBLISHED_MAX = 16 / SIGNING_ALGS.length;

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
  /**
   * Publishes a new key that does not sign yet.
   *
   * @throws {UnsealFailed} when the encryption key is not the one of the other keys.
   */
  stage(): Promise<SigningKeyStep>;
  /** The staged key signs from now on, and the one that did is retiring. */
  promote(options: { readonly early: boolean }): Promise<SigningKeyStep>;
  /** Withdraws a key that does not sign. */
  remove(kid: string, options: { readonly early: boolean }): Promise<SigningKeyStep>;
  /**
   * A new key signs from now on, and no other is published: tokens that any of them signed are refused.
   *
   * @throws {UnsealFailed} when the encryption key is not the one of the other keys.
   */
  replaceAll(): Promise<{ readonly kid: string; readonly removed: readonly string[] }>;
  /** Calls back after keys were added, promoted or removed, by any process. */
  onChange(listener: () => void): Promise<void>;
}

/**
 * The key as it was before the step, or why the step is refused. `early`: verifiers would refuse
 * good tokens.
 */
export type SigningKeyStep =
  | { readonly key: SigningKeyListing }
  | { readonly refused: 'early'; readonly key: SigningKeyListing }
  | { readonly refused: 'staged_already' | 'too_many' | 'none_staged' | 'unknown' | 'signs' };

export interface SigningKeyListing {
  readonly kid: string;
  readonly state: SigningKeyState;
  /** RFC 3339, as all times here. */
  readonly createdAt: string;
  /** Since when it no longer signs. */
  readonly retiredAt: string | null;
  /** When its next step is allowed: to sign for a staged key, to be removed for a retiring one. */
  readonly dueAt: string | null;
}
