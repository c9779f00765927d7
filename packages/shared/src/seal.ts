import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

const VERSION = 'v1';

/** The value was sealed with another key, for another record, or was changed since. */
export class UnsealFailed extends Error {
  override readonly name = 'UnsealFailed';

  constructor(context: string, keyName: string) {
    super(
      `${context} cannot be opened with this ${keyName}: it was sealed with another key, or changed since`,
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

/**
 * @param key 32 bytes in base64url: seals, and opens.
 * @param keyName how the operator knows the key.
 * @param previous opens what `key` does not, while one replaces the other.
 */
export function aesGcmSealer(
  key: Secret,
  keyName = 'KEY_ENCRYPTION_KEY',
  previous?: Secret,
): Sealer {
  const [sealing, ...others] = [key, ...(previous === undefined ? [] : [previous])].map((one) =>
    Buffer.from(one.expose(), 'base64url'),
  ) as [Buffer, ...Buffer[]];
  return {
    seal: (plaintext, context) => `${VERSION}.${encrypt(plaintext, sealing, context)}`,
    unseal(sealed, context) {
      const [version, text = ''] = sealed.split('.');
      for (const bytes of version === VERSION ? [sealing, ...others] : []) {
        try {
          return decrypt(text, bytes, context);
        } catch {
          // Another key may have sealed it.
        }
      }
      throw new UnsealFailed(context, keyName);
    },
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D): nonce, tag and ciphertext in base64url.
 *
 * @param key 32 bytes.
 * @param context authenticated beside the text: the same must be given to decrypt.
 */
export function encrypt(text: string, key: Buffer, context = ''): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** @throws when `encrypted` was not made with this key and context. */
export function decrypt(encrypted: string, key: Buffer, context = ''): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}
