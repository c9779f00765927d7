/** Proving who one is: the same rules and throttles for every door. */
import type { AccountDirectory } from '../accounts/account.ts';
import { type Account, canonicalEmail, type RefusedPassword } from '../accounts/account.ts';
import { PasswordVerifierBusy } from '../accounts/password.ts';
import type { SecondFactor } from '../mfa/second-factor.ts';
import {
  type GuessOutcome,
  type GuessParts,
  guess,
  guessSubjects,
  type NotCompared,
} from '../throttle/guess.ts';
import type { ThrottleSubject } from '../throttle/throttle.ts';

export interface ProofParts extends GuessParts {
  readonly accounts: AccountDirectory;
  readonly secondFactor: SecondFactor;
}

/** `refused` says why to the operator alone: to people unknown, wrong and disabled are one. */
export type Proof =
  | { readonly account: Account }
  | { readonly refused: RefusedPassword | 'code_wrong' | 'code_used' }
  | NotCompared;

/** An account without a password, as an invitation leaves it, is refused as a wrong one is. */
export async function provePassword(
  { accounts, throttle, devices }: ProofParts,
  address: ThrottleSubject,
  email: string,
  password: string,
  /** See throttle/known-devices.ts. */
  deviceCookie?: string,
): Promise<Proof> {
  const who = { email: canonicalEmail(email) };
  const subjects = guessSubjects(devices, 'password', who, address, deviceCookie);
  let refused: RefusedPassword = 'wrong_password';
  const note = (why: RefusedPassword) => {
    refused = why;
  };
  try {
    const compare = () => accounts.authenticate(email, password, note);
    const outcome = await guess(throttle, subjects, compare);
    return toProof(outcome, refused);
  } catch (error) {
    // No block: the load of this server is nothing that the person's log should tell.
    if (error instanceof PasswordVerifierBusy) return { waitS: 1, first: false };
    throw error;
  }
}

/** A one-time code, counted apart from passwords. */
export async function proveCode(
  { secondFactor, throttle, devices }: ProofParts,
  address: ThrottleSubject,
  account: Account,
  code: string,
  deviceCookie?: string,
): Promise<Proof> {
  const subjects = guessSubjects(devices, 'otp', account, address, deviceCookie);
  let refused: 'code_wrong' | 'code_used' = 'code_wrong';
  const compare = async () => {
    const found = await secondFactor.accept(account.id, code);
    if (found === 'used') refused = 'code_used';
    return found === 'accepted' ? account : undefined;
  };
  const outcome = await guess(throttle, subjects, compare);
  return toProof(outcome, refused);
}

type Refused = Extract<Proof, { refused: unknown }>['refused'];

function toProof(outcome: GuessOutcome<Account>, refused: Refused): Proof {
  if ('right' in outcome) return { account: outcome.right };
  return 'waitS' in outcome ? outcome : { refused };
}

/** For the operator's log. */
export function whyNot(proof: Exclude<Proof, { account: unknown }>): Refused | 'throttled' {
  return 'waitS' in proof ? 'throttled' : proof.refused;
}
