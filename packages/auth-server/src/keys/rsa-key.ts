import { generateKeyPair, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { calculateJwkThumbprint, type JWK } from 'jose';

/** What a private key has beside its public half (RFC 7518 §6.3.2). */
export const PRIVATE_RSA_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;

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
