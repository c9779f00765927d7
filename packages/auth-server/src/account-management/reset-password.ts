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
  type NewPasswordParts,
  type NewPasswordProblem,
} from '../accounts/new-password.ts';
import type { Actor } from '../audit/actor.ts';
import { digest } from '../crypto/state-seal.ts';
import { type AuditAndNotifyParts, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { addressSubject } from '../throttle/address-subject.ts';
import { allGuesses, type GuessParts } from '../throttle/guess.ts';
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

export interface ResetPasswordParts extends GuessParts, NewPasswordParts, AuditAndNotifyParts {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly links: AccountLinks;
  readonly access: Pick<AccountAccess, 'endAll'>;
  readonly backgroundTasks: BackgroundTasks;
}

export function resetPassword(parts: ResetPasswordParts): ResetPassword {
  const { accounts, links } = parts;
  const find = async (token: string): Promise<Account | undefined> => {
    const link = await links.find('password_reset', token);
    const account = link && (await accounts.find(link.accountId));
    return account?.disabled ? undefined : account;
  };
  const finished = async (account: Account, actor: Actor, token: string) => {
    await parts.access.endAll(account.id);
    await parts.throttle.succeeded(allGuesses(account, 'password'));
    auditAndNotify(parts, 'account.password_reset', account, actor, undefined, digest(token));
    return { account };
  };
  return {
    async request(typed, actor) {
      const email = canonicalEmail(typed.slice(0, 1_000));
      if (email === '') return { field: 'email', code: 'email_required' };
      if (!EMAIL.test(email)) return { field: 'email', code: 'email_invalid' };
      const from = actor.address === undefined ? [] : [addressSubject(actor.address)];
      const admission = await parts.throttle.admit([...from, { kind: 'reset-request', id: email }]);
      if (!admission.admitted) return { code: 'throttled', waitS: admission.retryAfterS };
      parts.backgroundTasks.run(() => sendLink(parts, email, actor));
      return undefined;
    },
    find,
    async finish(token, newPassword, actor) {
      const account = await find(token);
      if (account === undefined) {
        const done = await sameAgain(parts, 'password_reset', token, newPassword);
        return done === undefined ? { expired: true } : finished(done, actor, token);
      }
      const made = await hashOfNew(parts, account, newPassword);
      if ('problem' in made) return { account, problem: made.problem };
      // End sessions first: if that fails, the link is still valid. `finished` ends them again, to
      // catch sessions that started meanwhile.
      await parts.access.endAll(account.id);
      if (!(await links.useForPassword('password_reset', token, made.hash))) {
        return { expired: true };
      }
      return finished(account, actor, token);
    },
  };
}

async function sendLink(parts: ResetPasswordParts, email: string, actor: Actor): Promise<void> {
  const account = await parts.records.findByEmail(email);
  if (account === undefined || account.disabled || !hasPassword(account)) return;
  const { token } = await parts.links.create(account.id, 'password_reset', RESET_TTL_S);
  auditAndNotify(parts, 'account.password_reset_requested', account, actor);
  parts.mail.passwordReset(account, token, RESET_TTL_S, actor);
}
