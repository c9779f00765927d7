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
  const derived = Buffer.from(
    hkdfSync('sha256', Buffer.from(key.expose(), 'base64url'), '', `cls ${purpose}`, 32),
  );
  return (text) => createHmac('sha256', derived).update(text).digest('base64url');
}
