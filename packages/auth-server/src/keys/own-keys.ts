import { usableKeys } from '@cls/shared/access/key-check';
import type { VerificationKeys } from '@cls/shared/access/verification-keys';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { type CryptoKey, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { SigningKey, SigningKeyStore } from './signing-key.ts';

/**
 * The public parts of this server's own published keys, for its APIs to verify tokens with. They
 * are read again after each change that is announced, and never for a `kid` that a caller made up.
 */
export async function ownKeys(store: SigningKeyStore): Promise<VerificationKeys> {
  let reading: Promise<ReadonlyMap<string, CryptoKey>> | undefined;
  await store.onChange(() => {
    reading = undefined;
  });
  return {
    async find(kid) {
      reading ??= read(store);
      try {
        return (await reading).get(kid);
      } catch (error) {
        reading = undefined;
        throw error;
      }
    },
  };
}

async function read(store: SigningKeyStore): Promise<ReadonlyMap<string, CryptoKey>> {
  const keys = await usableKeys({ keys: publicKeysOf(await store.load()) });
  if (keys === undefined) throw new Error('there are more signing keys than an issuer needs');
  return keys;
}

export function publicKeysOf(keys: readonly SigningKey[]): readonly JWK[] {
  return keys.map(({ privateJwk: { kty, n, e, kid, alg, use } }) => ({
    ...{ kty, n, e, kid, alg, use },
  })) as JWK[];
}

/** The key that signs now. */
export interface ActiveKey {
  readonly kid: string;
  /** @returns a compact JWT of the type. */
  readonly sign: (typ: string, payload: JWTPayload) => Promise<string>;
}

/** It is read again after each change that is announced. */
export async function activeKey(store: SigningKeyStore): Promise<() => Promise<ActiveKey>> {
  let reading: Promise<ActiveKey> | undefined;
  await store.onChange(() => {
    reading = undefined;
  });
  const load = async (): Promise<ActiveKey> => {
    const [{ kid, privateJwk }] = await store.load();
    const key = await importJWK(privateJwk, ACCESS_TOKEN_ALG);
    const header = { alg: ACCESS_TOKEN_ALG, kid };
    return {
      kid,
      sign: (typ, payload) => new SignJWT(payload).setProtectedHeader({ ...header, typ }).sign(key),
    };
  };
  return async () => {
    reading ??= load();
    try {
      return await reading;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
}
