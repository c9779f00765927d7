/**
 * Identifiers of protocol state are bearer secrets (a session cookie, a refresh token), and
 * payloads name further ones. So a store gets digests of identifiers, and each payload encrypted
 * under its own identifier: a copy of the store can neither be used nor read.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** SHA-256, base64url. */
export function digest(identifier: string): string {
  return createHash('sha256').update(identifier).digest('base64url');
}

/** Encrypts `text` under `identifier`; the answer is base64url. */
export function seal(text: string, identifier: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(identifier), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** @throws when `sealed` was not made by `seal` under this `identifier`. */
export function unseal(sealed: string, identifier: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, keyFrom(identifier), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

function keyFrom(identifier: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identifier, '', 'cls protocol state', 32));
}
