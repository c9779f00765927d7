import type { Secret } from '@cls/shared/secret';
import { derivedKey, digest } from './digest.ts';

/** What recovery codes of 60 bits were hashed with, and its name in the table of such keys. */
export interface RecoveryKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The key that follows from a KEY_ENCRYPTION_KEY; it is stored when another one replaces that. */
export function recoveryKeyOf(keyEncryptionKey: Secret): RecoveryKey {
  return recoveryKey(derivedKey(keyEncryptionKey, 'recovery codes'));
}

export function recoveryKey(bytes: Buffer): RecoveryKey {
  return { id: digest(bytes), bytes };
}
