import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Secret } from '@cls/shared/secret';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The value was sealed with another key, for another record, or was changed since. */
export class UnsealFailed extends Error {
  override readonly name = 'UnsealFailed';

  constructor(context: string) {
    super(
      `${context} cannot be opened with this KEY_ENCRYPTION_KEY: it was sealed with another key, or changed since`,
    );
  }
}

/**
 * Seals small secrets at rest with AES-256-GCM. `context` names the record (such as
 * `signing_key:<kid>`) and is authenticated, so that a sealed value moved to another record does
 * not open there.
 */
export interface Sealer {
  seal(plaintext: string, context: string): string;
  /** @throws {UnsealFailed} */
  unseal(sealed: string, context: string): string;
}

/** @param key 32 bytes in base64url. */
export function aesGcmSealer(key: Secret): Sealer {
  const keyBytes = Buffer.from(key.expose(), 'base64url');
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyBytes, iv);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const sealed = Buffer.concat([iv, cipher.getAuthTag(), body]);
      return `${VERSION}.${sealed.toString('base64url')}`;
    },
    unseal(sealed, context) {
      try {
        const [version, text = ''] = sealed.split('.');
        if (version !== VERSION) throw new Error('unknown version');
        const bytes = Buffer.from(text, 'base64url');
        const iv = bytes.subarray(0, IV_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', keyBytes, iv, {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const body = bytes.subarray(IV_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        throw new UnsealFailed(context);
      }
    },
  };
}
