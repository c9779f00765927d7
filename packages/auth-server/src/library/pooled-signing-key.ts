import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKey } from '../keys/signing-key.ts';

/**
 * A signing key that the library does not sign with itself. `crypto.sign` with a callback uses the
 * same thread pool as WebCrypto, by which the library signs, for a third of the work around it.
 */
export class PooledSigningKey extends ExternalSigningKey {
  readonly #kid: string;
  readonly #privateKey: KeyObject | undefined;
  readonly #publicKey: KeyObject;

  constructor({ kid, state, jwk }: SigningKey) {
    super();
    this.#kid = kid;
    const input = { key: jwk as JsonWebKey, format: 'jwk' } as const;
    this.#privateKey = state === 'retiring' ? undefined : createPrivateKey(input);
    this.#publicKey = createPublicKey(input);
  }

  override get kid(): string {
    return this.#kid;
  }

  override get alg(): string {
    return ACCESS_TOKEN_ALG;
  }

  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  /** RS256 (RFC 7518 §3.3). */
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
