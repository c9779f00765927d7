import {
  constants,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  type SignKeyObjectInput,
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
  readonly #privateKey: SignKeyObjectInput | undefined;
  readonly #publicKey: KeyObject;

  /** With PS256 it has a `kid` of its own: verifiers that know a key for RS256 alone leave it out. */
  constructor({ kid, state, jwk }: SigningKey, alg: SigningAlg) {
    super();
    this.#kid = alg === ACCESS_TOKEN_ALG ? kid : `${kid}.${alg}`;
    this.#alg = alg;
    const input = { key: jwk as JsonWebKey, format: 'jwk' } as const;
    if (state !== 'retiring') {
      this.#privateKey = { key: createPrivateKey(input), ...(alg === 'PS256' ? PSS : {}) };
    }
    this.#publicKey = createPublicKey(input);
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
    const key = this.#privateKey;
    return new Promise((resolve, reject) => {
      if (key === undefined) return reject(new Error(`${this.#kid} is retired and does not sign`));
      sign('sha256', data, key, (error, signature) => {
        if (error === null) resolve(signature);
        else reject(error);
      });
    });
  }
}
