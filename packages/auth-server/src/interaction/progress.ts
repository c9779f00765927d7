import { digest, seal, unseal } from '../provider/state/sealing.ts';
import type { StateStore } from '../provider/state/state-store.ts';
import type { SignInProgress } from './next-step.ts';

const KIND = 'SignInProgress';
const TTL_S = 900;

/** What has been proven in an interaction so far; sealed under the interaction's id. */
export async function progressOf(
  state: StateStore,
  uid: string,
): Promise<SignInProgress | undefined> {
  const sealed = (await state.find(KIND, digest(uid)))?.payload['sealed'];
  return typeof sealed === 'string' ? JSON.parse(unseal(sealed, uid)) : undefined;
}

export async function keepProgress(
  state: StateStore,
  uid: string,
  progress: SignInProgress,
): Promise<void> {
  const payload = { sealed: seal(JSON.stringify(progress), uid) };
  await state.put({ kind: KIND, key: digest(uid), payload, ttlS: TTL_S });
}

export function dropProgress(state: StateStore, uid: string): Promise<void> {
  return state.remove(KIND, digest(uid));
}
