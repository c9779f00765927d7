/**
 * Recovery codes: look-up secrets (NIST SP 800-63B-4 §3.1.2) for when the phone is lost. Twenty-four
 * characters of Crockford's base 32, 120 bits, in groups of four; each works once, and tries are
 * throttled. Codes of twelve characters, made before, work until new ones replace them.
 */
import { randomBytes } from 'node:crypto';

export const RECOVERY_CODES = 10;
/** Codes below which new ones are advised. */
export const RECOVERY_CODES_LOW = 3;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
/** 112 bits or more need no slow hash where they are stored (ASVS 5.0, 6.5.2). */
const LENGTH = 24;
const SHAPE = /^(?:[0-9a-hjkmnp-tv-z]{12}){1,2}$/;

export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const characters = Array.from(randomBytes(LENGTH), (byte) => CROCKFORD[byte % 32]).join('');
    return characters.replace(/.{4}(?=.)/g, '$&-');
  });
}

/**
 * The code that somebody typed, without what people add or mistake (case, spaces, hyphens, o for
 * 0, i and l for 1); undefined when it can be none.
 */
export function canonicalRecoveryCode(text: string): string | undefined {
  if (text.length > 100) return undefined;
  const code = text
    .toLowerCase()
    .replace(/[\s\-–]+/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
  return SHAPE.test(code) ? code : undefined;
}

export interface RecoveryCodeRecords {
  /** In place of those that there are. */
  replace(accountId: string, codes: readonly string[]): Promise<void>;
  /** What is kept of codes. */
  hashesOf(accountId: string, codes: readonly string[]): readonly string[];
  /** Whether these are the account's, used or not. */
  areCurrent(accountId: string, codes: readonly string[]): Promise<boolean>;
  /**
   * True once per code: of concurrent calls exactly one. Until `settle`, the same attempt gets true
   * again: its answer may have failed. @param code canonical
   */
  use(accountId: string, code: string, attempt: string): Promise<boolean>;
  /** The request that used the code was answered: from now on the code is refused. */
  settle(accountId: string, attempt: string): Promise<void>;
  count(accountId: string): Promise<RecoveryCodeCount>;
}

export interface RecoveryCodeCount {
  readonly left: number;
  /** 0 when none were ever made. */
  readonly total: number;
}
