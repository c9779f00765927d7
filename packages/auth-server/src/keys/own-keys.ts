import { usableKeys } from '@cls/shared/access/key-check';
import type { VerificationKeys } from '@cls/shared/access/verification-keys';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { type CryptoKey, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { publicHalf } from './rsa-key.ts';
import type { SigningKey, SigningKeyStore } from './signing-key.ts';

/** The key that signs now. */
export interface ActiveKey {
  readonly kid: string;
  /** @returns a compact JWT of the type. */
  readonly sign: (typ: string, payload: JWTPayload) => Promise<string>;
}

export interface OwnKeys extends VerificationKeys {
  active(): Promise<ActiveKey>;
}

/**
 * This server's own keys: the public parts of those that are published, for its APIs to verify tokens with, and
 * the one that signs. They are read again after each change that is announced, and never for a `kid` that a
 * caller made up.
 */
export async function ownKeys(store: SigningKeyStore): Promise<OwnKeys> {
  const published = kept(() => read(store));
  const active = kept(() => loadActive(store));
  await store.onChange(() => {
    published.forget();
    active.forget();
  });
  return { find: async (kid) => (await published.get()).get(kid), active: active.get };
}

/** What was loaded once, until it is forgotten; a failure is not kept. */
function kept<T>(load: () => Promise<T>) {
  let loading: Promise<T> | undefined;
  return {
    async get() {
      loading ??= load();
      try {
        return await loading;
      } catch (error) {
        loading = undefined;
        throw error;
      }
    },
    forget() {
      loading = undefined;
    },
  };
}

async function read(store: SigningKeyStore): Promise<ReadonlyMap<string, CryptoKey>> {
  const keys = await usableKeys({ keys: publicKeysOf(await store.load()) });
  if (keys === undefined) throw new Error('there are more signing keys than an issuer needs');
  return keys;
}

export function publicKeysOf(keys: readonly SigningKey[]): readonly JWK[] {
  return keys.map(({ jwk }) => publicHalf(jwk));
}

async function loadActive(store: SigningKeyStore): Promise<ActiveKey> {
  const [{ kid, jwk }] = await store.load();
  const key = await importJWK(jwk, ACCESS_TOKEN_ALG);
  const header = { alg: ACCESS_TOKEN_ALG, kid };
  return {
    kid,
    sign: (typ, payload) => new SignJWT(payload).setProtectedHeader({ ...header, typ }).sign(key),
  };
}
