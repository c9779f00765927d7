/** Proving who one is: the same rules and throttles for every door. */
import type { AccountDirectory } from '../accounts/account.ts';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import { PasswordVerifierBusy } from '../accounts/password.ts';
import type { SecondFactor } from '../mfa/second-factor.ts';
import { type GuessOutcome, type GuessParts, guess, guessSubjects } from '../throttle/guess.ts';
import type { ThrottleSubject } from '../throttle/throttle.ts';

export interface ProofParts extends GuessParts {
  readonly accounts: AccountDirectory;
  readonly secondFactor: SecondFactor;
}

/** `refused` tells nothing of why: unknown, wrong and disabled are one. */
export type Proof =
  | { readonly account: Account }
  | { readonly refused: true }
  | { readonly waitS: number };

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
  try {
    return toProof(await guess(throttle, subjects, () => accounts.authenticate(email, password)));
  } catch (error) {
    if (error instanceof PasswordVerifierBusy) return { waitS: 1 };
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
  const compare = async () =>
    (await secondFactor.accept(account.id, code)) === 'accepted' ? account : undefined;
  return toProof(await guess(throttle, subjects, compare));
}

function toProof(outcome: GuessOutcome<Account>): Proof {
  if ('right' in outcome) return { account: outcome.right };
  return 'waitS' in outcome ? outcome : { refused: true };
}
