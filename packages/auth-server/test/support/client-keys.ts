import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { VIEW } from './auth-server.ts';
import type { ToolWorld } from './tool-world.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A client's key, with the key set that it registers. */
export interface ClientKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly file: string;
}

export async function newClientKey(alg: string, kid = `key-${alg}`): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid };
  return { alg, kid, privateKey, publicJwk, file: keySetFile(publicJwk) };
}

/** A file with a key set. */
export function keySetFile(...keys: readonly object[]): string {
  const file = join(temporaryDirectory('cls-client-keys-'), 'jwks.json');
  writeFileSync(file, JSON.stringify({ keys }));
  return file;
}

let created = 0;

/** Registers a service account with the operator's tool. @returns what the tool printed */
export async function newKeyClient(
  world: ToolWorld,
  options: string,
  permission: string = VIEW,
): Promise<{ readonly clientId: string; readonly clientSecret?: string; readonly proof?: object }> {
  created += 1;
  const named = `--name Keyed-${created} --customer india --permission ${permission}`;
  return world.done(`service-accounts create ${named} ${options}`.trim());
}

export interface AssertionChanges {
  /** In place of the usual ones, or without them where undefined. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

let made = 0;

/** RFC 7523 §3 */
export function assertion(
  issuer: string,
  clientId: string,
  { alg, kid, privateKey }: Pick<ClientKey, 'alg' | 'kid'> & { privateKey: CryptoKey | Uint8Array },
  { claims, header }: AssertionChanges = {},
): Promise<string> {
  const nowS = Math.floor(Date.now() / 1_000);
  made += 1;
  const usual = { iss: clientId, sub: clientId, aud: issuer, jti: `assertion-${made}` };
  return new SignJWT({ ...usual, iat: nowS, exp: nowS + 60, ...claims })
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey);
}

/** The form of a token request that an assertion proves. */
export function assertionForm(text: string, more: Record<string, string> = {}): string {
  const proof = { client_assertion_type: ASSERTION_TYPE, client_assertion: text };
  const asked = { grant_type: 'client_credentials', ...proof, ...more };
  return new URLSearchParams(asked).toString();
}
