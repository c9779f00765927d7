import type { Secret } from '@cls/shared/secret';
import { derivedKey, digest } from './digest.ts';

/** What recovery codes are hashed with, and its name in the table of such keys. */
export interface RecoveryKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The key of new codes, which follows from KEY_ENCRYPTION_KEY and is not stored. */
export function currentRecoveryKey(keyEncryptionKey: Secret): RecoveryKey {
  return recoveryKey(derivedKey(keyEncryptionKey, 'recovery codes'));
}

export function recoveryKey(bytes: Buffer): RecoveryKey {
  return { id: digest(bytes), bytes };
}
