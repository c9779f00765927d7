import type { Account, AccountDirectory } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import {
  hashOfNew,
  type NewPasswordDeps,
  type NewPasswordProblem,
} from '../accounts/new-password.ts';
import { PasswordVerifierBusy } from '../accounts/password.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess, SessionName } from '../sessions/account-access.ts';
import { endAround } from '../sessions/end-around.ts';
import { type GuessDeps, guess, guessSubjectsOf } from '../throttle/guess.ts';

export type ChangePasswordProblem =
  | NewPasswordProblem
  | { readonly field: 'password'; readonly code: 'password_required' | 'current_password_wrong' };

/** Undefined when it is changed. */
export type ChangePassword = (
  account: Account,
  form: { readonly password: string; readonly newPassword: string },
  /** The session of this request; all others end. */
  session: SessionName,
  actor: Actor,
) => Promise<ChangePasswordProblem | undefined>;

export interface ChangePasswordDeps extends GuessDeps, NewPasswordDeps, AuditAndNotifyDeps {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly access: Pick<AccountAccess, 'endAll'>;
}

/** Changes a password that the person knows, and ends all other sessions. */
export function changePassword(deps: ChangePasswordDeps): ChangePassword {
  const { records, access } = deps;
  const record = async (account: Account, actor: Actor) => {
    const once = (await records.passwordSetAt(account.id))?.toISOString();
    auditAndNotify(deps, 'account.password_changed', account, actor, undefined, once);
  };
  return async (account, { password, newPassword }, session, actor) => {
    if (password === '') return { field: 'password', code: 'password_required' };
    const end = () => access.endAll(account.id, session);
    const proven = await provePresent(deps, account, password, actor);
    if ('code' in proven) {
      const done = await isDone(deps, account, newPassword, actor);
      if (!done) return proven;
      await record(account, actor);
      await end();
      return undefined;
    }
    if (newPassword === password) return { field: 'new_password', code: 'password_same' };
    const made = await hashOfNew(deps, account, newPassword);
    if ('problem' in made) return made.problem;
    // If a password reset was faster, it wins: the password that was proven here is the one before
    // it.
    const replaced = await endAround(end, async () => {
      const version = proven.passwordVersion;
      if (!(await records.replacePassword(account.id, made.hash, version))) return false;
      await record(account, actor);
      return true;
    });
    return replaced ? undefined : { field: 'password', code: 'current_password_wrong' };
  };
}

const REPEATABLE_MS = 600_000;

/** Whether this form was sent before, and its answer failed after the password was changed. */
async function isDone(
  deps: ChangePasswordDeps,
  account: Account,
  newPassword: string,
  actor: Actor,
): Promise<boolean> {
  const setAt = await deps.records.passwordSetAt(account.id);
  if (setAt === undefined || Date.now() - setAt.getTime() > REPEATABLE_MS) return false;
  return !('code' in (await provePresent(deps, account, newPassword, actor)));
}

async function provePresent(
  { accounts, throttle, devices }: ChangePasswordDeps,
  account: Account,
  password: string,
  actor: Actor,
): Promise<Account | ChangePasswordProblem> {
  try {
    const subjects = guessSubjectsOf(devices, 'password', account, actor);
    const authenticate = () => accounts.authenticate(account.email, password);
    const outcome = await guess(throttle, subjects, authenticate);
    if ('waitS' in outcome) return { code: 'throttled', waitS: outcome.waitS };
    return 'right' in outcome
      ? outcome.right
      : { field: 'password', code: 'current_password_wrong' };
  } catch (error) {
    if (error instanceof PasswordVerifierBusy) return { code: 'throttled', waitS: 1 };
    throw error;
  }
}
