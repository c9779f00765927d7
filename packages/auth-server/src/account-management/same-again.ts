import type { Account, AccountDirectory } from '../accounts/account.ts';
import type { AccountLinks, LinkPurpose } from '../accounts/account-link.ts';

export interface SameAgainDeps {
  readonly accounts: AccountDirectory;
  readonly links: AccountLinks;
}

/**
 * The account whose password a link has just set, when the same form is sent again because the
 * first answer was lost or failed. Undefined for a different password: the link cannot set it any
 * more.
 */
export async function sameAgain(
  { accounts, links }: SameAgainDeps,
  purpose: LinkPurpose,
  token: string,
  newPassword: string,
): Promise<Account | undefined> {
  const accountId = await links.usedJustNow(purpose, token);
  const account = accountId === undefined ? undefined : await accounts.find(accountId);
  if (account === undefined) return undefined;
  return accounts.authenticate(account.email, newPassword);
}
