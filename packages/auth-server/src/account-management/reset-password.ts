/**
 * A forgotten password: a link by e-mail, good once and for half an hour, with which a new one is
 * set. The link does not sign the person in and does not replace the second factor.
 */

import {
  type Account,
  type AccountDirectory,
  canonicalEmail,
  EMAIL,
  hasPassword,
} from '../accounts/account.ts';
import type { AccountLinks } from '../accounts/account-link.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import {
  hashOfNew,
  type NewPasswordDeps,
  type NewPasswordProblem,
} from '../accounts/new-password.ts';
import type { Actor } from '../audit/actor.ts';
import { digest } from '../crypto/digest.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { endAround } from '../sessions/end-around.ts';
import { addressSubject, allGuesses, type GuessDeps } from '../throttle/guess.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { sameAgain } from './same-again.ts';

export const RESET_TTL_S = 1_800;

export interface ResetPassword {
  /**
   * Answers the same, in the same time, whether the account exists or not; the message is sent
   * afterwards. Only an enabled account with a password gets one.
   */
  request(email: string, actor: Actor): Promise<ResetRequestProblem | undefined>;
  /** The account that the link was sent to; undefined when the link is not valid. */
  find(token: string): Promise<Account | undefined>;
  /** Sets the password and ends all sessions; `expired` when the link is not valid. */
  finish(
    token: string,
    newPassword: string,
    actor: Actor,
  ): Promise<
    | { readonly account: Account }
    | { readonly expired: true }
    | { readonly account: Account; readonly problem: NewPasswordProblem }
  >;
}

export type ResetRequestProblem =
  | { readonly field: 'email'; readonly code: 'email_required' | 'email_invalid' }
  | { readonly code: 'throttled'; readonly waitS: number };

export interface ResetPasswordDeps extends GuessDeps, NewPasswordDeps, AuditAndNotifyDeps {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly links: AccountLinks;
  readonly access: Pick<AccountAccess, 'endAll'>;
  readonly backgroundTasks: BackgroundTasks;
}

export function resetPassword(deps: ResetPasswordDeps): ResetPassword {
  const { accounts, links } = deps;
  const find = async (token: string): Promise<Account | undefined> => {
    const link = await links.find('password_reset', token);
    const account = link && (await accounts.find(link.accountId));
    return account?.disabled ? undefined : account;
  };
  const record = async (account: Account, actor: Actor, token: string) => {
    auditAndNotify(deps, 'account.password_reset', account, actor, undefined, digest(token));
    await deps.throttle.succeeded(allGuesses(account, 'password'));
  };
  return {
    async request(typed, actor) {
      const email = canonicalEmail(typed.slice(0, 1_000));
      if (email === '') return { field: 'email', code: 'email_required' };
      if (!EMAIL.test(email)) return { field: 'email', code: 'email_invalid' };
      const from = actor.address === undefined ? [] : [addressSubject(actor.address)];
      const admission = await deps.throttle.admit([...from, { kind: 'reset-request', id: email }]);
      if (!admission.admitted) return { code: 'throttled', waitS: admission.retryAfterS };
      deps.backgroundTasks.run(() => sendLink(deps, email, actor));
      return undefined;
    },
    find,
    async finish(token, newPassword, actor) {
      const account = await find(token);
      if (account === undefined) {
        const done = await sameAgain(deps, 'password_reset', token, newPassword);
        if (done === undefined) return { expired: true };
        await record(done, actor, token);
        await deps.access.endAll(done.id);
        return { account: done };
      }
      const made = await hashOfNew(deps, account, newPassword);
      if ('problem' in made) return { account, problem: made.problem };
      const set = await endAround(
        () => deps.access.endAll(account.id),
        async () => {
          if (!(await links.useForPassword('password_reset', token, made.hash))) return false;
          await record(account, actor, token);
          return true;
        },
      );
      return set ? { account } : { expired: true };
    },
  };
}

async function sendLink(deps: ResetPasswordDeps, email: string, actor: Actor): Promise<void> {
  const account = await deps.records.findByEmail(email);
  if (account === undefined || account.disabled || !hasPassword(account)) return;
  const { token } = await deps.links.create(account.id, 'password_reset', RESET_TTL_S);
  auditAndNotify(deps, 'account.password_reset_requested', account, actor);
  deps.mail.passwordReset(account, token, RESET_TTL_S, actor);
}
