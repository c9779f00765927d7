import { type Account, canonicalEmail } from './account.ts';
import { type PasswordVerifier, PasswordVerifierBusy } from './password.ts';
import { type PasswordFault, type PasswordRules, passwordFault } from './password-rules.ts';

/** Why a new password was not set; the shape of the pages' problems. */
export type NewPasswordProblem =
  | (PasswordFault & { readonly field: 'new_password' })
  | { readonly field: 'new_password'; readonly code: 'password_required' | 'password_same' }
  | { readonly code: 'throttled'; readonly waitS: number };

export interface NewPasswordDeps {
  readonly passwords: PasswordVerifier;
  readonly passwordRules: PasswordRules;
}

/** The hash of a password that this person may have. */
export async function hashOfNew(
  { passwords, passwordRules }: NewPasswordDeps,
  account: Pick<Account, 'email' | 'customer'>,
  password: string,
): Promise<{ readonly hash: string } | { readonly problem: NewPasswordProblem }> {
  const field = 'new_password';
  if (password === '') return { problem: { field, code: 'password_required' } };
  const context = [canonicalEmail(account.email), account.customer];
  const fault = passwordFault(password, passwordRules, context);
  if (fault !== undefined) return { problem: { field, ...fault } };
  try {
    return { hash: await passwords.hash(password) };
  } catch (error) {
    if (error instanceof PasswordVerifierBusy) return { problem: { code: 'throttled', waitS: 1 } };
    throw error;
  }
}
