import type { CryptoKey } from 'jose';

/** The issuer's public keys, as a verifier of its tokens needs them. */
export interface VerificationKeys {
  /** The key, or undefined when the issuer does not have it. @throws {KeysUnavailable} */
  find(kid: string): Promise<CryptoKey | undefined>;
}

/** The key set cannot be had, and what is held of it does not answer the question. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
