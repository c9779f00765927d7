import type { Account, AccountDirectory } from '../../accounts/account.ts';
import { MFA_ACR } from '../../library/sign-in-policy.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { InteractionContext } from './interaction-context.ts';

/** What has been proven in this interaction so far, kept beside it. */
export interface SignInProgress {
  readonly accountId: string;
  /** The account's at that time. */
  readonly passwordVersion: string | undefined;
  /** The account's when its factors were proven, or one of them was added here. */
  readonly factorsVersion: string | undefined;
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** The person asked that this browser be remembered; undefined where nobody was asked. */
  readonly rememberDevice: boolean | undefined;
  /** The first step was a sign-in at an organisation’s provider. */
  readonly throughOrganisation?: true;
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
  { id: accountId, passwordVersion, factorsVersion }: Account,
  proven: Omit<SignInProgress, 'accountId' | 'passwordVersion' | 'factorsVersion'>,
): Promise<void> {
  // Remove the old entry first: an entry that is overwritten keeps its age, and would end with the
  // old one.
  await dropProgress(state, uid);
  await keepProgress(state, uid, { accountId, passwordVersion, factorsVersion, ...proven });
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

export type NextStep =
  | { readonly step: 'sign_in' | 'consent' }
  | { readonly step: 'second_factor' | 'done'; readonly proven: Proven }
  /** A second factor is needed and the account has none. */
  | { readonly step: 'enrol_factor'; readonly because: 'policy' | 'application' };

/**
 * Decides the next page of a sign-in. Pure.
 *
 * @param remembered the person proved a second factor in this browser before, and nobody asks for a
 *   fresh proof.
 */
export function nextStep(
  { deps, details }: InteractionContext,
  proven: Proven | undefined,
  remembered = false,
): NextStep {
  if (details.prompt.name === 'consent') return { step: 'consent' };
  if (proven === undefined) return { step: 'sign_in' };
  // The application asks for a second factor.
  const mfaWanted = details.params['acr_values'] === MFA_ACR;
  const { amr } = proven.progress;
  if (amr.includes('mfa')) return { step: 'done', proven };
  if (proven.account.secondFactor && remembered && !mfaWanted) return { step: 'done', proven };
  if (proven.account.secondFactor) return { step: 'second_factor', proven };
  if (deps.mfaPolicy === 'required') return { step: 'enrol_factor', because: 'policy' };
  if (mfaWanted) return { step: 'enrol_factor', because: 'application' };
  return { step: 'done', proven };
}
