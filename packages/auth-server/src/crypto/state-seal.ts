/**
 * Identifiers of protocol state are bearer secrets (a session cookie, a refresh token), and
 * payloads name further ones. So a store gets digests of identifiers, and each payload encrypted
 * under its own identifier: a copy of the store can neither be used nor read.
 */
import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

/** Encrypts `text` under `identifier`; the answer is base64url. */
export function seal(text: string, identifier: string): string {
  return encrypt(text, keyFrom(identifier));
}

/** @throws when `sealed` was not made by `seal` under this `identifier`. */
export function unseal(sealed: string, identifier: string): string {
  return decrypt(sealed, keyFrom(identifier));
}

function keyFrom(identifier: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identifier, '', 'cls protocol state', 32));
}
