import { hash } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  SignJWT,
} from 'jose';

/** A caller's key pair, to which its tokens are bound (RFC 9449). */
export interface ProofKey {
  readonly alg: string;
  readonly privateKey: CryptoKey | Uint8Array;
  readonly jwk: JWK;
  readonly jkt: string;
}

export async function newProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

export interface ProofChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

let made = 0;

/** A proof for one request (RFC 9449 §4.2), with other claims or another header where they are given. */
export function newProof(
  { alg, privateKey, jwk }: ProofKey,
  url: string,
  token: string,
  { claims, header }: ProofChanges = {},
): Promise<string> {
  made += 1;
  const iat = Math.floor(Date.now() / 1_000);
  const ath = hash('sha256', token, 'base64url');
  const usual = { htm: 'GET', htu: url, jti: `proof-${made}`, iat, ath };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey);
}
