/**
 * Slows guessing. Counters are durable, shared by all replicas, and kept apart by what is guessed
 * (NIST SP 800-63B-4 §3.2.2: at most 100 consecutive failures, growing delays).
 */
export interface Throttle {
  /**
   * Admits an attempt against every subject, or returns how many seconds to wait. Subjects are
   * checked in order. After one that refuses, the others are not counted, so put the address first.
   * An attempt counts as a failure until `succeeded` says otherwise, so parallel attempts cannot
   * slip through.
   */
  admit(subjects: readonly ThrottleSubject[]): Promise<Admission>;
  /** Takes back an attempt whose secret was not compared. Earlier failures stay counted. */
  withdraw(subjects: readonly ThrottleSubject[]): Promise<void>;
  /**
   * Takes back an attempt whose secret was right, and clears the earlier failures of subjects with
   * a single secret. An address has many: its other failures stay counted.
   */
  succeeded(subjects: readonly ThrottleSubject[]): Promise<void>;
}

export interface ThrottleSubject {
  readonly kind: ThrottleKind;
  /** Canonical e-mail, account id, client id or IP address; stored hashed. */
  readonly id: string;
}

/**
 * Guesses at one secret of a person have a count for each way in which something vouches for them:
 * - `…-known`: from a browser in which the person signed in before.
 * - `…-at-known`: from network addresses from which the person signed in before, all of them
 *   together; `…-from-known`: from one of them.
 * - `…-with-code`: with a right one-time code beside it.
 * - `…-offered`: codes that were tried as such a voucher; `…-offered-from`: from one address.
 */
export const THROTTLE_KINDS = [
  'account-password',
  'account-password-known',
  'account-password-from-known',
  'account-password-at-known',
  'account-password-with-code',
  'account-otp-offered',
  'account-otp-offered-from',
  'account-otp',
  'account-otp-known',
  'account-recovery',
  'account-recovery-known',
  'reset-request',
  'invitation',
  'invitations-of-customer',
  'client-secret',
  'client-address',
  'address',
] as const;
export type ThrottleKind = (typeof THROTTLE_KINDS)[number];

export type Admission =
  | { readonly admitted: true }
  /**
   * `first` marks the first attempt that a block refuses. Only that one is recorded, because
   * anybody can send many.
   */
  | { readonly admitted: false; readonly retryAfterS: number; readonly first: boolean };
