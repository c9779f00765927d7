/**
 * Whose account a provider's subject is. A provider may only name people of its own customer: an
 * account is linked to the subject once, by an address that the provider has proven and that is of
 * its domain. No account is ever made here.
 */
import { type Account, type AccountDirectory, canonicalEmail } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Actor } from '../audit/actor.ts';
import { digest } from '../crypto/digest.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { endAround } from '../sessions/end-around.ts';
import { domainOfEmail } from './email-domain.ts';
import { isPlainEmail } from './upstream-claims.ts';
import type { UpstreamIdentity, UpstreamLinks, UpstreamProvider } from './upstream-provider.ts';

export interface LinkDeps extends AuditAndNotifyDeps {
  readonly upstreamLinks: UpstreamLinks;
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly access: Pick<AccountAccess, 'endAll'>;
}

/** Somebody who came back from the provider. */
export interface UpstreamArrival {
  readonly identity: UpstreamIdentity;
  /** Linked to no account when the provider was first asked. */
  readonly isNew: boolean;
  /** The sign-in's own. */
  readonly state: string;
}

/** @returns why the person has no account that the provider may let them into. */
export async function linkedAccount(
  deps: LinkDeps,
  provider: UpstreamProvider,
  organisation: string,
  { identity: { subject, claims }, isNew, state }: UpstreamArrival,
  actor: Actor,
): Promise<Account | { readonly unusable: string }> {
  const record = (account: Account) => {
    const once = digest(state);
    auditAndNotify(deps, 'account.organisation_linked', account, actor, organisation, once);
  };
  const linkedNow = (account: Account): Account => ({
    ...account,
    passwordVersion: undefined,
    pending: false,
  });
  const linkedId = await deps.upstreamLinks.accountOf(provider.issuer, subject);
  if (linkedId !== undefined) {
    const account = await deps.accounts.find(linkedId);
    if (!isOf(account, provider)) return { unusable: 'upstream_account_disabled' };
    // An earlier try of this sign-in linked the account and failed before the message to the owner.
    if (!isNew) return account;
    record(account);
    await deps.access.endAll(account.id);
    return linkedNow(account);
  }
  const email = claims[provider.emailClaim];
  if (email === undefined || !isTrue(claims[provider.emailVerifiedClaim])) {
    return { unusable: 'upstream_email_unproven' };
  }
  if (!isPlainEmail(email)) return { unusable: 'upstream_email_invalid' };
  if (domainOfEmail(canonicalEmail(email)) !== provider.domain) {
    return { unusable: 'upstream_email_of_another_domain' };
  }
  const account = await deps.records.findByEmail(email);
  if (!isOf(account, provider)) return { unusable: 'upstream_account_unknown' };
  const linkedToAnother = { unusable: 'upstream_account_linked_to_another' };
  if (await deps.upstreamLinks.isLinked(provider.issuer, account.id)) return linkedToAnother;
  // Linking ends the password and the sessions that it opened.
  const linked = await endAround(
    () => deps.access.endAll(account.id),
    async () => {
      if (!(await deps.upstreamLinks.link(provider.issuer, subject, account.id))) return false;
      record(account);
      return true;
    },
  );
  return linked ? linkedNow(account) : linkedToAnother;
}

/** A provider vouches for people of its own customer alone. */
function isOf(account: Account | undefined, provider: UpstreamProvider): account is Account {
  return account !== undefined && !account.disabled && account.customer === provider.customer;
}

/** Some providers write booleans as text or numbers. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === 1 || claim === '1';
}
