/**
 * Slows guessing. Counters are durable, shared by all replicas, and kept apart by what is guessed
 * (NIST SP 800-63B-4 §3.2.2: at most 100 consecutive failures, growing delays).
 */
export interface Throttle {
  /**
   * Admits an attempt against every subject, or tells how many seconds to wait. An attempt counts
   * as a failure until `succeeded` says otherwise, so parallel attempts cannot slip through.
   */
  admit(subjects: readonly ThrottleSubject[]): Promise<Admission>;
  /** Clears the count of the subjects whose secret was right. */
  succeeded(subjects: readonly ThrottleSubject[]): Promise<void>;
}

export interface ThrottleSubject {
  readonly kind: 'account-password' | 'account-otp' | 'client-secret' | 'address';
  /** Canonical e-mail, account id, client id or IP address; stored hashed. */
  readonly id: string;
}

export type Admission =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterS: number };
