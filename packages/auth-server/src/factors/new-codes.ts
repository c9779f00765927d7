import type { Account } from '../accounts/account.ts';
import { digest, seal, unseal } from '../crypto/state-seal.ts';
import type { StateStore } from '../state/state-store.ts';
import type { RecoveryCodes } from './recovery-codes.ts';

/** Recovery codes that the person has not said to have saved. */
export interface NewCodes {
  readonly accountId: string;
  readonly codes: readonly string[];
  readonly createdAtMs: number;
}

const KIND = 'NewRecoveryCodes';
const TTL_S = 600;

/**
 * Kept for the session or interaction in which they are made, sealed under it, before they count:
 * a person sees them again after any failure, after sending the form twice, and after Back.
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

/** Undefined also when they do not count: making them failed, or others have come since. */
export async function newCodesOf(
  state: StateStore,
  recoveryCodes: Pick<RecoveryCodes, 'areCurrent'>,
  binding: string,
  account: Account,
): Promise<NewCodes | undefined> {
  const sealed = (await state.find(KIND, digest(binding)))?.payload['sealed'];
  if (typeof sealed !== 'string') return undefined;
  const kept = JSON.parse(unseal(sealed, binding)) as NewCodes;
  if (kept.accountId !== account.id) return undefined;
  return (await recoveryCodes.areCurrent(account, kept.codes)) ? kept : undefined;
}

export function dropNewCodes(state: StateStore, binding: string): Promise<void> {
  return state.remove(KIND, digest(binding));
}
