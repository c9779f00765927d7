import type { Account } from '../accounts/account.ts';
import { digest, seal, unseal } from '../provider/state/sealing.ts';
import type { StateStore } from '../provider/state/state-store.ts';

/** Recovery codes that were made and that the person has not said to have saved. */
export interface NewCodes {
  readonly accountId: string;
  readonly codes: readonly string[];
  readonly createdAtMs: number;
}

const KIND = 'NewRecoveryCodes';
const TTL_S = 600;

/**
 * Kept for the session or interaction in which they were made, sealed under it: whoever sent the
 * form twice, or went back, is led to them all the same.
 */
export async function keepNewCodes(
  state: StateStore,
  binding: string,
  { id: accountId }: Account,
  codes: readonly string[],
): Promise<void> {
  const kept: NewCodes = { accountId, codes, createdAtMs: Date.now() };
  const payload = { sealed: seal(JSON.stringify(kept), binding) };
  await state.put({ kind: KIND, key: digest(binding), payload, ttlS: TTL_S });
}

export async function newCodesOf(
  state: StateStore,
  binding: string,
  account: Account,
): Promise<NewCodes | undefined> {
  const sealed = (await state.find(KIND, digest(binding)))?.payload['sealed'];
  if (typeof sealed !== 'string') return undefined;
  const kept = JSON.parse(unseal(sealed, binding)) as NewCodes;
  return kept.accountId === account.id ? kept : undefined;
}

export function dropNewCodes(state: StateStore, binding: string): Promise<void> {
  return state.remove(KIND, digest(binding));
}
