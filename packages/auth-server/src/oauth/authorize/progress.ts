import type { Account, AccountDirectory } from '../../accounts/account.ts';
import { digest, seal, unseal } from '../../crypto/state-seal.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { Proven, SignInProgress } from './next-step.ts';

const KIND = 'SignInProgress';
const TTL_S = 900;

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
  const sealed = (await state.find(KIND, digest(uid)))?.payload['sealed'];
  if (typeof sealed !== 'string') return undefined;
  const progress = JSON.parse(unseal(sealed, uid)) as SignInProgress;
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
  const payload = { sealed: seal(JSON.stringify(progress), uid) };
  const account = digest(progress.accountId);
  await state.put({ kind: KIND, key: digest(uid), payload, account, ttlS: TTL_S });
}

export function dropProgress(state: StateStore, uid: string): Promise<void> {
  return state.remove(KIND, digest(uid));
}
