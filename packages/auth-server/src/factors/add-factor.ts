/**
 * What adding a factor of any kind has in common. The challenge is spent when the request is
 * answered, and the factor comes with its recovery codes in one transaction, under an id that was
 * chosen with the challenge: when anything fails, the same form can be sent again.
 */
import { newId } from '@cls/shared/new-id';
import type { Account } from '../accounts/account.ts';
import type { StateStore } from '../state/state-store.ts';
import type { Proof } from './authentication-methods.ts';
import {
  type Factor,
  FactorNameTaken,
  type FactorProblem,
  type FactorRecords,
  factorName,
  type InsertedFactor,
  type NewFactor,
  TooManyFactors,
} from './factor.ts';
import { PasskeyTaken } from './passkey.ts';
import { newRecoveryCodes } from './recovery-code.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import { keepNewCodes } from './recovery-codes.ts';

export interface AddedFactor {
  readonly factor: Factor;
  /** Adding it has proven it. */
  readonly proof: Proof;
  /** The account's first ones, to be shown this once; absent when it had some. */
  readonly recoveryCodes?: readonly string[];
}

/** Kept with the challenge. */
export interface PlannedFactor {
  readonly factorId: string;
  /** For an account that has none. */
  readonly codes: readonly string[];
}

export function planFactor(): PlannedFactor {
  return { factorId: newId('fac'), codes: newRecoveryCodes() };
}

/** The name that a new factor may have; asked before a ceremony is used up. */
export async function freeName(
  factors: FactorRecords,
  accountId: string,
  text: string,
  factorId?: string,
): Promise<string | FactorProblem> {
  const name = factorName(text);
  if (name === undefined) return { field: 'name', code: 'name_required' };
  const others = (await factors.list(accountId)).filter(({ id }) => id !== factorId);
  const taken = others.some((each) => each.name === name);
  return taken ? { field: 'name', code: 'name_taken' } : name;
}

/** Whether an earlier try has added it. */
export async function isThere(
  factors: FactorRecords,
  account: Account,
  { factorId }: PlannedFactor,
): Promise<boolean> {
  return (await factors.list(account.id)).some(({ id }) => id === factorId);
}

export interface AddFactorDeps {
  readonly recoveryCodes: RecoveryCodes;
  readonly state: StateStore;
}

/** @param add in one transaction; finds the factor that an earlier try has added. */
export async function addFactor(
  { recoveryCodes, state }: AddFactorDeps,
  account: Account,
  binding: string,
  { factorId: id, codes, name, proof }: PlannedFactor & { name: string; proof: Proof },
  add: (factor: NewFactor) => Promise<InsertedFactor>,
): Promise<AddedFactor | { readonly problem: FactorProblem }> {
  const { total } = await recoveryCodes.count(account);
  if (total === 0) await keepNewCodes(state, binding, account, codes);
  const codeHashes = recoveryCodes.hashesOf(account, codes);
  const added = await orProblem(add({ id, name, codeHashes }));
  if ('problem' in added) return added;
  const { factor, withCodes } = added;
  return withCodes ? { factor, proof, recoveryCodes: codes } : { factor, proof };
}

async function orProblem(
  adding: Promise<InsertedFactor>,
): Promise<InsertedFactor | { readonly problem: FactorProblem }> {
  try {
    return await adding;
  } catch (error) {
    if (error instanceof FactorNameTaken) return { problem: { field: 'name', code: 'name_taken' } };
    if (error instanceof TooManyFactors) return { problem: { code: 'too_many_factors' } };
    if (error instanceof PasskeyTaken) return { problem: { code: 'passkey_exists' } };
    throw error;
  }
}
