/**
 * An administrator invites a person, who sets their own password: nobody else ever types it. If the
 * person's organisation has its own provider, the person signs in there and gets no password.
 */
import type { PersonPermission } from '@cls/shared/access-token';
import { isUniqueViolation } from '@cls/shared/sql/database';
import { type Account, type AccountDirectory, canonicalEmail } from '../accounts/account.ts';
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
import type { CustomerRecords } from '../organisations/customer.ts';
import { emailProblem } from '../organisations/email-address.ts';
import { domainOfEmail } from '../organisations/email-domain.ts';
import type { UpstreamRecords } from '../organisations/upstream-provider.ts';
import { allGuesses } from '../throttle/guess.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { sameAgain } from './same-again.ts';

export const INVITATION_TTL_S = 7 * 86_400;

export interface Invitee {
  readonly email: string;
  readonly name?: string | undefined;
  readonly customer: string;
  readonly permissions: readonly PersonPermission[];
}

/**
 * Makes the account and sends the message. An account that cannot sign in yet gets a new link, and
 * the older link ends.
 */
export type Invite = (
  invitee: Invitee,
  actor: Actor,
  /** The administrator must not learn whether another customer has the person. */
  how?: { readonly discreet?: boolean },
) => Promise<Invited>;

export type Invited =
  /**
   * `expiresAt` of the link; absent when the person signs in at the organisation's own provider.
   */
  | { readonly account: Account; readonly expiresAt?: Date }
  | { readonly refused: 'email_invalid' | 'unknown_customer' | 'account_exists' };

export interface InviteDeps extends AuditAndNotifyDeps {
  readonly customers: CustomerRecords;
  readonly records: AccountRecords;
  readonly links: AccountLinks;
  readonly providers: Pick<UpstreamRecords, 'list'>;
}

export function invite(deps: InviteDeps): Invite {
  const { customers, links } = deps;
  return async (invitee, actor, { discreet = false } = {}) => {
    const email = canonicalEmail(invitee.email);
    if (emailProblem(invitee.email) !== undefined) return { refused: 'email_invalid' };
    const customer = await customers.find(invitee.customer);
    if (customer === undefined || customer.disabled) return { refused: 'unknown_customer' };
    const account = await accountOf(deps, { ...invitee, email }, actor, discreet);
    if (account === undefined) return { refused: 'account_exists' };
    auditAndNotify(deps, 'account.invited', account, actor, customer.name);
    // The same work and answer for an address that belongs to another customer.
    if (await hasProvider(deps, account)) {
      await links.removeAll(account.id); // They may date from before the customer had a provider.
      if (account.elsewhere) deps.mail.invitationElsewhere(account, customer.name, actor);
      else deps.mail.organisationInvitation(account, customer.name, actor);
      return { account };
    }
    const { token, expiresAt } = await links.create(account.id, 'invitation', INVITATION_TTL_S);
    if (account.elsewhere) deps.mail.invitationElsewhere(account, customer.name, actor);
    else deps.mail.invitation(account, customer.name, token, expiresAt, actor);
    return { account, expiresAt };
  };
}

/** Whether the customer has a provider for people of this address. */
async function hasProvider({ providers }: InviteDeps, { email, customer }: Account) {
  const domain = domainOfEmail(email);
  const all = await providers.list();
  return all.some((each) => each.domain === domain && each.customer === customer);
}

/**
 * A new account, or the same one that was invited before; undefined when the account is in use or
 * differs.
 */
async function accountOf(
  { records, ...deps }: InviteDeps,
  invitee: Invitee,
  actor: Actor,
  discreet: boolean,
): Promise<Account | undefined> {
  const { email, customer } = invitee;
  const everywhere = await records.findByEmail(email);
  const elsewhere = discreet && everywhere !== undefined && everywhere.customer !== customer;
  // The customer's own account, even if the address also belongs to another customer.
  const find = async () => (await records.listOf(customer, { email, limit: 1 }))[0];
  const known = elsewhere ? await find() : everywhere;
  if (known !== undefined) {
    const same =
      known.customer === customer &&
      [...known.permissions].sort().join() === [...invitee.permissions].sort().join() &&
      !known.disabled &&
      known.pending;
    return same ? known : undefined;
  }
  // One that only looked invited, and was disabled since: nobody could open its link.
  if ((await find())?.disabled) return undefined;
  try {
    await (elsewhere ? records.createElsewhere(invitee) : records.create(invitee));
  } catch (error) {
    if (isUniqueViolation(error)) return undefined; // Another request created it at the same time.
    throw error;
  }
  const made = await find();
  if (made === undefined) throw new Error('the account that was just made is gone');
  auditAndNotify(deps, 'account.created', made, actor);
  return made;
}

export interface AcceptInvitation {
  /** Undefined when the link is not good (any more). */
  find(token: string): Promise<OpenInvitation | undefined>;
  accept(
    token: string,
    newPassword: string,
    actor: Actor,
  ): Promise<
    | { readonly account: Account }
    | { readonly expired: true }
    | { readonly invitation: OpenInvitation; readonly problem: NewPasswordProblem }
  >;
}

export interface OpenInvitation {
  readonly account: Account;
  /** The customer's name. */
  readonly organisation: string;
  readonly expiresAt: Date;
}

export interface AcceptInvitationDeps extends NewPasswordDeps, AuditAndNotifyDeps {
  readonly throttle: Throttle;
  readonly accounts: AccountDirectory;
  readonly customers: CustomerRecords;
  readonly links: AccountLinks;
}

export function acceptInvitation(deps: AcceptInvitationDeps): AcceptInvitation {
  const find = async (token: string): Promise<OpenInvitation | undefined> => {
    const link = await deps.links.find('invitation', token);
    const account = link && (await deps.accounts.find(link.accountId));
    const customer = account && (await deps.customers.find(account.customer));
    if (link === undefined || account === undefined || customer === undefined) return undefined;
    if (account.disabled) return undefined;
    return { account, organisation: customer.name, expiresAt: link.expiresAt };
  };
  const accepted = async (account: Account, actor: Actor, token: string) => {
    auditAndNotify(deps, 'account.password_set', account, actor, undefined, digest(token));
    // Strangers may have guessed at this address before it had a password.
    await deps.throttle.succeeded(allGuesses(account, 'password'));
    return { account };
  };
  return {
    find,
    async accept(token, newPassword, actor) {
      const invitation = await find(token);
      if (invitation === undefined) {
        const done = await sameAgain(deps, 'invitation', token, newPassword);
        return done === undefined ? { expired: true } : accepted(done, actor, token);
      }
      const { account } = invitation;
      const made = await hashOfNew(deps, account, newPassword);
      if ('problem' in made) return { invitation, problem: made.problem };
      if (!(await deps.links.useForPassword('invitation', token, made.hash))) {
        return { expired: true };
      }
      return accepted(account, actor, token);
    },
  };
}
