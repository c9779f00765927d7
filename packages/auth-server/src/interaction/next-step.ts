/** Where a person stands in a sign-in: pure. */
import type { MfaPolicy } from '../config.ts';

/** What has been proven in this interaction so far, kept beside it. */
export interface SignInProgress {
  readonly accountId: string;
  readonly email: string;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly secondFactor: boolean;
  /** The person asked that this browser be known. */
  readonly rememberDevice: boolean;
}

export interface Standing {
  /** What the library asks for. */
  readonly prompt: string;
  readonly progress: SignInProgress | undefined;
  readonly mfaPolicy: MfaPolicy;
  /** The application asks for a second factor by `acr_values`. */
  readonly mfaWanted: boolean;
}

export type NextStep =
  | { readonly step: 'sign_in' | 'second_factor' | 'consent' }
  | { readonly step: 'done'; readonly amr: readonly string[] }
  /** A second factor is needed and the account has none. */
  | { readonly step: 'enrol_factor'; readonly because: 'policy' | 'application' };

export function nextStep({ prompt, progress, mfaPolicy, mfaWanted }: Standing): NextStep {
  if (prompt === 'consent') return { step: 'consent' };
  if (progress === undefined) return { step: 'sign_in' };
  const { amr, secondFactor } = progress;
  if (amr.includes('mfa')) return { step: 'done', amr };
  if (secondFactor) return { step: 'second_factor' };
  if (mfaPolicy === 'required') return { step: 'enrol_factor', because: 'policy' };
  if (mfaWanted) return { step: 'enrol_factor', because: 'application' };
  return { step: 'done', amr };
}
