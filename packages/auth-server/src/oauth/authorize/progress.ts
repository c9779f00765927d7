import type { Account, AccountDirectory } from '../../accounts/account.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { Proven, SignInProgress } from './next-step.ts';

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
