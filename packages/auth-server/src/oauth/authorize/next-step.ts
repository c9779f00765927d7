/** Decides the next page of a sign-in. Pure. */
import type { Account } from '../../accounts/account.ts';
import type { MfaPolicy } from '../../accounts/mfa-policy.ts';

/** What has been proven in this interaction so far, kept beside it. */
export interface SignInProgress {
  readonly accountId: string;
  /** The account's at that time. */
  readonly passwordVersion: string | undefined;
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** The person asked that this browser be known. */
  readonly rememberDevice: boolean;
  /**
   * When the person proved it at an organisation's provider, in whole seconds since the epoch;
   * absent when it was here.
   */
  readonly provenAtS?: number | undefined;
}

/** With the account as it is now: a factor may have been added since. */
export interface Proven {
  readonly account: Account;
  readonly progress: SignInProgress;
}

export interface Standing {
  /** What the library asks for. */
  readonly prompt: string;
  readonly proven: Proven | undefined;
  readonly mfaPolicy: MfaPolicy;
  /** The application asks for a second factor by `acr_values`. */
  readonly mfaWanted: boolean;
}

export type NextStep =
  | { readonly step: 'sign_in' | 'second_factor' | 'consent' }
  | { readonly step: 'done'; readonly proven: Proven }
  /** A second factor is needed and the account has none. */
  | { readonly step: 'enrol_factor'; readonly because: 'policy' | 'application' };

export function nextStep({ prompt, proven, mfaPolicy, mfaWanted }: Standing): NextStep {
  if (prompt === 'consent') return { step: 'consent' };
  if (proven === undefined) return { step: 'sign_in' };
  const { amr } = proven.progress;
  if (amr.includes('mfa')) return { step: 'done', proven };
  if (proven.account.secondFactor) return { step: 'second_factor' };
  if (mfaPolicy === 'required') return { step: 'enrol_factor', because: 'policy' };
  if (mfaWanted) return { step: 'enrol_factor', because: 'application' };
  return { step: 'done', proven };
}
