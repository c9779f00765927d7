import type { Secret } from '@cls/shared/secret';
import { decrypt, encrypt } from './aes-gcm.ts';

const VERSION = 'v1';

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
    seal: (plaintext, context) => `${VERSION}.${encrypt(plaintext, keyBytes, context)}`,
    unseal(sealed, context) {
      try {
        const [version, text = ''] = sealed.split('.');
        if (version !== VERSION) throw new Error('unknown version');
        return decrypt(text, keyBytes, context);
      } catch {
        throw new UnsealFailed(context);
      }
    },
  };
}
