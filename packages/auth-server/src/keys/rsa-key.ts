import { generateKeyPair, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { calculateJwkThumbprint, type JWK } from 'jose';

/** The number one, as JWKs write it (base64url). */
const ONE = 'AQ';

const generate = promisify(generateKeyPair);

/**
 * A new RSA key (e = 65537) as a private JWK; `kid` is its thumbprint (RFC 7638), never one that
 * begins with `-`: an operator's command would take it for an option.
 */
export async function newRsaKey(bits: number): Promise<JWK & { kid: string }> {
  const { privateKey } = await generate('rsa', { modulusLength: bits });
  const jwk = privateKey.export({ format: 'jwk' }) as JsonWebKey as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  if (kid.startsWith('-')) return newRsaKey(bits);
  return { ...jwk, kid, alg: ACCESS_TOKEN_ALG, use: 'sig' };
}

export function publicHalf({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}

/**
 * A key of which only the public half is left, with private members (RFC 7518 §6.3.2) that say nothing: p is one,
 * and q is n. Node reads it as a private key; from 24.22 on it checks that p times q is n.
 */
export function withoutPrivateHalf(jwk: JWK): JWK {
  return { ...publicHalf(jwk), d: ONE, p: ONE, q: jwk.n, dp: ONE, dq: ONE, qi: ONE } as JWK;
}

export function hasPrivateHalf({ d }: JWK): boolean {
  return d !== undefined && d !== ONE;
}
