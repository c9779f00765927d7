import {
  constants,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningAlg, SigningKey } from '../keys/signing-key.ts';

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

/**
 * A signing key that the library does not sign with itself. `crypto.sign` with a callback uses the
 * same thread pool as WebCrypto, by which the library signs, for a third of the work around it.
 */
export class PooledSigningKey extends ExternalSigningKey {
  readonly #kid: string;
  readonly #alg: SigningAlg;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  /** With PS256 it has a `kid` of its own: verifiers that know a key for RS256 alone leave it out. */
  constructor({ kid, privateJwk }: SigningKey, alg: SigningAlg) {
    super();
    this.#kid = alg === ACCESS_TOKEN_ALG ? kid : `${kid}.${alg}`;
    this.#alg = alg;
    this.#privateKey = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' });
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  override get kid(): string {
    return this.#kid;
  }

  override get alg(): string {
    return this.#alg;
  }

  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  /** RS256 (RFC 7518 §3.3) or PS256 (§3.5). */
  override sign(data: Uint8Array): Promise<Uint8Array> {
    const key = { key: this.#privateKey, ...(this.#alg === 'PS256' ? PSS : {}) };
    return new Promise((resolve, reject) => {
      sign('sha256', data, key, (error, signature) => {
        if (error === null) resolve(signature);
        else reject(error);
      });
    });
  }
}
