import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { Secret } from '@cls/shared/secret';

/** SHA-256 in base64url: what is stored of an identifier that opens something. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** 256 random bits in base64url. */
export function newIdentifier(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Seals small texts at rest with AES-256-GCM (NIST SP 800-38D). `context` names the record and is
 * authenticated: a sealed text that is moved to another record does not open there.
 */
export interface Sealer {
  seal(text: string, context: string): string;
  /** Undefined for what was sealed with another key, for another record, or was changed since. */
  open(sealed: string, context: string): string | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes in base64url. */
export function sealer(key: Secret): Sealer {
  const bytes = Buffer.from(key.expose(), 'base64url');
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      try {
        const whole = Buffer.from(sealed, 'base64url');
        const nonce = whole.subarray(0, NONCE_BYTES);
        const tag = whole.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
        const decipher = createDecipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
        const body = whole.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
