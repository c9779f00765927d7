/** Proves who somebody is, with the same rules and throttles for every way to sign in. */
import { randomUUID } from 'node:crypto';
import {
  type Account,
  type AccountDirectory,
  canonicalEmail,
  type RefusedPassword,
} from '../accounts/account.ts';
import type { SecondFactor } from '../factors/second-factor.ts';
import { whenAnswered } from '../state/answering.ts';
import {
  type GuessDeps,
  type GuessOutcome,
  guess,
  guessSubjects,
  type NotCompared,
  offeredCodeSubjects,
  type PasswordGuessDeps,
  passwordSubjects,
} from '../throttle/guess.ts';
import type { ThrottleSubject } from '../throttle/throttle.ts';

export interface CodeDeps extends GuessDeps {
  readonly secondFactor: SecondFactor;
}

export interface ProofDeps extends CodeDeps, PasswordGuessDeps {
  readonly accounts: AccountDirectory;
}

/**
 * `refused` is the reason for the operator only. People get one answer for unknown, wrong and
 * disabled.
 */
export type Proof = ProofOr<Refused>;

type Refused = RefusedPassword | 'code_wrong' | 'code_used';

type ProofOr<Refused> =
  | {
      readonly account: Account;
      /** The code that came with the password has been accepted, and is used. */
      readonly codeAccepted?: true;
    }
  | { readonly refused: Refused }
  | NotCompared;

/** What can come with a password and vouch for the person who sends it. */
export interface Vouchers {
  /** See throttle/known-devices.ts. */
  readonly deviceCookie?: string | undefined;
  readonly otp?: string | undefined;
}

/**
 * An account without a password, such as an invited one, is refused like a wrong password.
 *
 * When strangers have used up the guesses that anybody has, a right one-time code beside the
 * password still lets the password be compared.
 */
export async function provePassword(
  deps: ProofDeps,
  address: ThrottleSubject,
  text: string,
  password: string,
  { deviceCookie, otp }: Vouchers = {},
): Promise<Proof> {
  const { accounts, throttle } = deps;
  const email = canonicalEmail(text);
  let refused: RefusedPassword = 'wrong_password';
  const compare = () =>
    accounts.authenticate(email, password, (why) => {
      refused = why;
    });
  const subjects = await passwordSubjects(deps, email, address, deviceCookie);
  const outcome = await guess(throttle, subjects, compare);
  if (!('waitS' in outcome) || otp === undefined) return toProof(outcome, refused);
  if (!(await vouchesFor(deps, address, email, otp))) return outcome;
  const withCode = [{ kind: 'account-password-with-code', id: email }] as const;
  const proof = toProof(await guess(throttle, withCode, compare), refused);
  return 'account' in proof ? { ...proof, codeAccepted: true } : proof;
}

/** The same counts for an address that no account has: only a right code makes a difference. */
async function vouchesFor(
  { accounts, secondFactor, throttle }: ProofDeps,
  address: ThrottleSubject,
  email: string,
  otp: string,
): Promise<boolean> {
  const outcome = await guess(throttle, offeredCodeSubjects(email, address), async () => {
    const account = await accounts.findByEmail(email);
    const attempt = randomUUID();
    const accountId = account?.id ?? NOBODY;
    if ((await secondFactor.accept(accountId, otp, attempt)) !== 'accepted') return undefined;
    await whenAnswered(() => secondFactor.settle(accountId, attempt));
    return true;
  });
  return 'right' in outcome;
}

const NOBODY = 'acc_00000000000000000000000000';

/** A one-time code, counted apart from passwords. */
export async function proveCode(
  { secondFactor, throttle, devices }: CodeDeps,
  address: ThrottleSubject | undefined,
  account: Account,
  code: string,
  /** Names the sign-in: see factors/second-factor.ts. */
  attempt: string,
  deviceCookie?: string,
): Promise<ProofOr<'code_wrong' | 'code_used'>> {
  const subjects = guessSubjects(devices, 'otp', account, address, deviceCookie);
  let refused: 'code_wrong' | 'code_used' = 'code_wrong';
  const compare = async () => {
    const found = await secondFactor.accept(account.id, code, attempt);
    if (found === 'used') refused = 'code_used';
    return found === 'accepted' ? account : undefined;
  };
  const outcome = await guess(throttle, subjects, compare);
  if ('right' in outcome) await whenAnswered(() => secondFactor.settle(account.id, attempt));
  return toProof(outcome, refused);
}

function toProof<R>(outcome: GuessOutcome<Account>, refused: R): ProofOr<R> {
  if ('right' in outcome) return { account: outcome.right };
  return 'waitS' in outcome ? outcome : { refused };
}

/** For the operator's log. */
export function whyNot(proof: Exclude<Proof, { account: unknown }>): Refused | 'throttled' {
  return 'waitS' in proof ? 'throttled' : proof.refused;
}
