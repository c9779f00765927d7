import type { Account } from '../accounts/account.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import type { StateStore } from '../state/state-store.ts';
import type { RecoveryCodes } from './recovery-codes.ts';

/** Recovery codes that the person has not said to have saved. */
export interface NewCodes {
  readonly accountId: string;
  readonly codes: readonly string[];
  readonly createdAtMs: number;
}

const TTL_S = 600;

const newCodes = (state: StateStore) => oneTimeState<NewCodes>(state, 'NewRecoveryCodes');

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
  await newCodes(state).put(binding, kept, TTL_S);
}

/** Undefined also when they do not count: making them failed, or others have come since. */
export async function newCodesOf(
  state: StateStore,
  recoveryCodes: Pick<RecoveryCodes, 'areCurrent'>,
  binding: string,
  account: Account,
): Promise<NewCodes | undefined> {
  const kept = await newCodes(state).look(binding);
  if (kept?.accountId !== account.id) return undefined;
  return (await recoveryCodes.areCurrent(account, kept.codes)) ? kept : undefined;
}

export function dropNewCodes(state: StateStore, binding: string): Promise<void> {
  return newCodes(state).drop(binding);
}
