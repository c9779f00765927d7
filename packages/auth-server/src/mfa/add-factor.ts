import type { Account } from '../accounts/account.ts';
import type { Proof } from './authentication-methods.ts';
import {
  type Factor,
  FactorNameTaken,
  type FactorProblem,
  type FactorRecords,
  factorName,
  TooManyFactors,
} from './factor.ts';
import { PasskeyTaken } from './passkey.ts';
import type { RecoveryCodes } from './recovery-codes.ts';

export interface AddedFactor {
  readonly factor: Factor;
  /** Adding it has proven it. */
  readonly proof: Proof;
  /** The account's first ones, to be shown this once; absent when it had some. */
  readonly recoveryCodes?: readonly string[];
}

/** The name that a new factor may have; asked before a ceremony is used up. */
export async function freeName(
  factors: FactorRecords,
  accountId: string,
  text: string,
): Promise<string | FactorProblem> {
  const name = factorName(text);
  if (name === undefined) return { field: 'name', code: 'name_required' };
  const taken = (await factors.list(accountId)).some((each) => each.name === name);
  return taken ? { field: 'name', code: 'name_taken' } : name;
}

export async function orProblem(
  adding: Promise<Factor>,
): Promise<Factor | { readonly problem: FactorProblem }> {
  try {
    return await adding;
  } catch (error) {
    if (error instanceof FactorNameTaken) return { problem: { field: 'name', code: 'name_taken' } };
    if (error instanceof TooManyFactors) return { problem: { code: 'too_many_factors' } };
    if (error instanceof PasskeyTaken) return { problem: { code: 'passkey_exists' } };
    throw error;
  }
}

export async function withFirstCodes(
  recoveryCodes: RecoveryCodes,
  account: Account,
  factor: Factor,
  proof: Proof,
): Promise<AddedFactor> {
  const codes = await recoveryCodes.addFirst(account);
  return codes === undefined ? { factor, proof } : { factor, proof, recoveryCodes: codes };
}
