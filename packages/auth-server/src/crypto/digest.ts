import { createHmac, hash, hkdfSync } from 'node:crypto';
import type { Secret } from '@cls/shared/secret';

/**
 * SHA-256 in base64url: what is stored of a secret that nobody can guess, such as an identifier of
 * protocol state, a client secret or the token of a link.
 */
export function digest(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}

/**
 * HMAC-SHA-256 in base64url, under a key for one purpose derived from `key` (RFC 5869): for short
 * secrets, whose plain hashes a copy of the database would give away.
 *
 * @param key 32 bytes in base64url.
 */
export function keyedHash(key: Secret, purpose: string): (text: string) => string {
  return hashWith(derivedKey(key, purpose));
}

/** The key of `keyedHash`. */
export function derivedKey(key: Secret, purpose: string): Buffer {
  return Buffer.from(
    hkdfSync('sha256', Buffer.from(key.expose(), 'base64url'), '', `cls ${purpose}`, 32),
  );
}

/** HMAC-SHA-256 in base64url. */
export function hashWith(key: Buffer): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}
