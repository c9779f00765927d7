/**
 * Whose account a provider's subject is. A provider may only name people of its own customer: an
 * account is linked to the subject once, by an address that the provider has proven and that is of
 * its domain. No account is ever made here.
 */
import { type Account, type AccountDirectory, canonicalEmail } from '../accounts/account.ts';
import type { AccountLinks } from '../accounts/account-link.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Requester } from '../accounts/requester.ts';
import { type NoticeParts, notice } from '../accounts/security-notice.ts';
import { domainOfEmail } from './email-domain.ts';
import type { UpstreamIdentity, UpstreamLinks, UpstreamProvider } from './upstream-provider.ts';

export interface LinkParts extends NoticeParts {
  readonly upstreamLinks: UpstreamLinks;
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly links: AccountLinks;
}

/** @returns why the person has no account that the provider may let them into. */
export async function linkedAccount(
  parts: LinkParts,
  provider: UpstreamProvider,
  organisation: string,
  { subject, claims }: UpstreamIdentity,
  by: Requester,
): Promise<Account | { readonly unusable: string }> {
  const linkedId = await parts.upstreamLinks.accountOf(provider.issuer, subject);
  if (linkedId !== undefined) {
    const account = await parts.accounts.find(linkedId);
    return isOf(account, provider) ? account : { unusable: 'upstream_account_disabled' };
  }
  const email = claims[provider.emailClaim];
  if (typeof email !== 'string' || !isTrue(claims[provider.emailVerifiedClaim])) {
    return { unusable: 'upstream_email_unproven' };
  }
  if (domainOfEmail(canonicalEmail(email)) !== provider.domain) {
    return { unusable: 'upstream_email_of_another_domain' };
  }
  const account = await parts.records.findByEmail(email);
  if (!isOf(account, provider)) return { unusable: 'upstream_account_unknown' };
  if (!(await parts.upstreamLinks.link(provider.issuer, subject, account.id))) {
    return { unusable: 'upstream_account_linked_to_another' };
  }
  await parts.links.removeAll(account.id);
  notice(parts, 'account.organisation_linked', account, by, organisation);
  return account;
}

/** A provider vouches for people of its own customer alone. */
function isOf(account: Account | undefined, provider: UpstreamProvider): account is Account {
  return account !== undefined && !account.disabled && account.customer === provider.customer;
}

/** Some providers write booleans as text or numbers. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === 1 || claim === '1';
}
