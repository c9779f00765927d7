import type { CryptoKey } from 'jose';

/** The issuer's public keys, as a verifier of its tokens needs them. */
export interface VerificationKeys {
  /** The key, or undefined when the issuer does not have it. @throws {KeysUnavailable} */
  find(kid: string): Promise<CryptoKey | undefined>;
}

/**
 * The key set cannot be read, and the keys that were read before do not include the one that is
 * needed.
 */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
