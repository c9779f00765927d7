import { hash, randomBytes } from 'node:crypto';
import { aesGcmSealer, UnsealFailed } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';

/** SHA-256 in base64url: what is stored of an identifier that opens something. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** 256 random bits in base64url. */
export function newIdentifier(): string {
  return randomBytes(32).toString('base64url');
}

/** Seals small texts; `context` names the record, and a text moved to another does not open. */
export interface Sealer {
  seal(text: string, context: string): string;
  /** Undefined for what was sealed with another key, for another record, or was changed since. */
  open(sealed: string, context: string): string | undefined;
}

/** @param key 32 bytes in base64url. @param previous opens what `key` does not. */
export function sealer(key: Secret, previous?: Secret): Sealer {
  const { seal, unseal } = aesGcmSealer(key, 'EXPLORER_SESSION_KEY', previous);
  return {
    seal,
    open(sealed, context) {
      try {
        return unseal(sealed, context);
      } catch (error) {
        if (error instanceof UnsealFailed) return undefined;
        throw error;
      }
    },
  };
}
