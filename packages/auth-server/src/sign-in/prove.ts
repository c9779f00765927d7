/** Proving who one is: the same rules and throttles for every door. */
import type { AccountDirectory } from '../accounts/account.ts';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import { PasswordVerifierBusy } from '../accounts/password.ts';
import type { SecondFactor } from '../mfa/second-factor.ts';
import type { Throttle, ThrottleSubject } from '../throttle/throttle.ts';

export interface ProofParts {
  readonly accounts: AccountDirectory;
  readonly secondFactor: SecondFactor;
  readonly throttle: Throttle;
}

/** `refused` tells nothing of why: unknown, wrong and disabled are one. */
export type Proof =
  | { readonly account: Account }
  | { readonly refused: true }
  | { readonly waitS: number };

export async function provePassword(
  { accounts, throttle }: ProofParts,
  address: ThrottleSubject,
  email: string,
  password: string,
): Promise<Proof> {
  const subjects = [address, { kind: 'account-password', id: canonicalEmail(email) } as const];
  const admission = await throttle.admit(subjects);
  if (!admission.admitted) return { waitS: admission.retryAfterS };
  let account: Account | undefined;
  try {
    account = await accounts.authenticate(email, password);
  } catch (error) {
    // Busy, or the store is down: nothing was compared, so nothing failed.
    await throttle.withdraw(subjects).catch(() => undefined);
    if (error instanceof PasswordVerifierBusy) return { waitS: 1 };
    throw error;
  }
  if (account === undefined) return { refused: true };
  await throttle.succeeded(subjects);
  return { account };
}

/** A one-time code, counted apart from passwords. */
export async function proveCode(
  { secondFactor, throttle }: ProofParts,
  address: ThrottleSubject,
  account: Account,
  code: string,
): Promise<Proof> {
  const subjects = [address, { kind: 'account-otp', id: account.id } as const];
  const admission = await throttle.admit(subjects);
  if (!admission.admitted) return { waitS: admission.retryAfterS };
  if (!(await secondFactor.verify(account.id, code))) return { refused: true };
  await throttle.succeeded(subjects);
  return { account };
}
