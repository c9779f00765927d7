import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import type { Proof } from '../factors/authentication-methods.ts';
import type { FactorRecords } from '../factors/factor.ts';
import type { Passkeys } from '../factors/passkeys.ts';
import type { RecoveryCodes } from '../factors/recovery-codes.ts';
import { addressSubject, guess, guessSubjectsOf, type NotCompared } from '../throttle/guess.ts';
import { type CodeDeps, proveCode } from './prove.ts';

/** The best first. */
const METHODS = ['passkey', 'totp', 'recovery_code'] as const;
export type SecondStepMethod = (typeof METHODS)[number];

/** What the page's form sent. */
export type SecondStepAnswer = { readonly binding: string } & (
  | { readonly method: 'totp' | 'recovery_code'; readonly code: string }
  | { readonly method: 'passkey'; readonly credential: string }
);

/** @param binding the sign-in or session that it is for: a passkey's ceremony was begun with it. */
export function secondStepAnswer(
  form: Readonly<Record<string, string>>,
  binding: string,
): SecondStepAnswer {
  const { credential, recovery_code: recoveryCode, code = '' } = form;
  if (credential !== undefined) return { method: 'passkey', credential, binding };
  if (recoveryCode !== undefined) return { method: 'recovery_code', code: recoveryCode, binding };
  return { method: 'totp', code, binding };
}

/** Why the second step failed, in the shape of the pages' problems. */
export type SecondStepProblem =
  | { readonly field: 'code'; readonly code: 'code_required' | 'code_wrong' | 'code_used' }
  | { readonly field: 'recovery_code'; readonly code: 'code_required' | 'recovery_code_wrong' }
  | { readonly code: 'passkey_failed' }
  | ({ readonly code: 'throttled' } & NotCompared);

/** The second step of signing in, and of a step-up. */
export interface SecondStep {
  /** The methods of the account, the best first; empty without a second factor. */
  methods(account: Account): Promise<readonly SecondStepMethod[]>;
  prove(account: Account, answer: SecondStepAnswer, actor: Actor): Promise<Outcome>;
}

export interface SecondStepDeps extends CodeDeps {
  readonly factors: FactorRecords;
  readonly recoveryCodes: RecoveryCodes;
  readonly passkeys: Passkeys;
}

type TypedCode = Extract<SecondStepAnswer, { code: string }>;
type Outcome = { readonly proof: Proof } | { readonly problem: SecondStepProblem };

export function secondStep(deps: SecondStepDeps): SecondStep {
  return {
    async methods(account) {
      const has = await deps.factors.provableBy(account.id);
      return METHODS.filter((method) => has[method]);
    },
    async prove(account, answer, actor) {
      switch (answer.method) {
        case 'totp':
          return proveTotp(deps, account, answer, actor);
        case 'recovery_code':
          return proveRecoveryCode(deps, account, answer, actor);
        case 'passkey':
          return provePasskey(deps, account, answer.binding, answer.credential);
      }
    },
  };
}

async function proveTotp(
  deps: SecondStepDeps,
  account: Account,
  { code, binding }: TypedCode,
  { address, deviceCookie }: Actor,
): Promise<Outcome> {
  if (code.trim() === '') return { problem: { field: 'code', code: 'code_required' } };
  const from = address === undefined ? undefined : addressSubject(address);
  const proof = await proveCode(deps, from, account, code, binding, deviceCookie);
  if ('account' in proof) return { proof: { method: 'totp' } };
  if ('waitS' in proof) return { problem: { code: 'throttled', ...proof } };
  return { problem: { field: 'code', code: proof.refused } };
}

async function proveRecoveryCode(
  { throttle, devices, recoveryCodes }: SecondStepDeps,
  account: Account,
  { code, binding }: TypedCode,
  actor: Actor,
): Promise<Outcome> {
  const field = 'recovery_code';
  if (code.trim() === '') return { problem: { field, code: 'code_required' } };
  const subjects = guessSubjectsOf(devices, 'recovery', account, actor);
  const outcome = await guess(throttle, subjects, async () =>
    (await recoveryCodes.use(account, code, binding, actor)) ? true : undefined,
  );
  if ('right' in outcome) return { proof: { method: 'recovery_code' } };
  if ('waitS' in outcome) return { problem: { code: 'throttled', ...outcome } };
  return { problem: { field, code: 'recovery_code_wrong' } };
}

/** Not counted as a guess: a passkey cannot be guessed, and a challenge works once. */
async function provePasskey(
  { passkeys }: SecondStepDeps,
  account: Account,
  binding: string,
  credential: string,
): Promise<Outcome> {
  const proof = await passkeys.finishSecondStep(account, binding, credential);
  return proof === undefined ? { problem: { code: 'passkey_failed' } } : { proof };
}
