import type { Account, AccountDirectory } from '../../accounts/account.ts';
import type { MfaPolicy } from '../../accounts/mfa-policy.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';

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

const TTL_S = 900;

const progressIn = (state: StateStore) => oneTimeState<SignInProgress>(state, 'SignInProgress');

export interface ProgressDeps {
  readonly state: StateStore;
  readonly accounts: AccountDirectory;
}

/**
 * What has been proven in an interaction so far, if it is still valid. It ends when the account's
 * access is ended, and when the password changes.
 */
export async function provenIn(
  { state, accounts }: ProgressDeps,
  uid: string,
): Promise<Proven | undefined> {
  const progress = await progressIn(state).look(uid);
  if (progress === undefined) return undefined;
  const account = await accounts.find(progress.accountId);
  if (account === undefined || account.disabled) return undefined;
  return account.passwordVersion === progress.passwordVersion ? { account, progress } : undefined;
}

/** Records that the first step was proven, and drops what was proven in the interaction before. */
export async function beginProgress(
  { state }: Pick<ProgressDeps, 'state'>,
  uid: string,
  { id: accountId, passwordVersion }: Account,
  proven: Omit<SignInProgress, 'accountId' | 'passwordVersion'>,
): Promise<void> {
  // Remove the old entry first: an entry that is overwritten keeps its age, and would end with the
  // old one.
  await dropProgress(state, uid);
  await keepProgress(state, uid, { accountId, passwordVersion, ...proven });
}

/** Sealed under the interaction's id. Another step does not change its age. */
export async function keepProgress(
  state: StateStore,
  uid: string,
  progress: SignInProgress,
): Promise<void> {
  await progressIn(state).put(uid, progress, TTL_S, progress.accountId);
}

export function dropProgress(state: StateStore, uid: string): Promise<void> {
  return progressIn(state).drop(uid);
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

/** Decides the next page of a sign-in. Pure. */
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
