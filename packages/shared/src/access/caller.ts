import type { AccountType, Permission } from '../access-token.ts';

/** The caller, as the verified access token names it. */
export interface Caller {
  /** Id of the account or service account. */
  readonly subject: string;
  readonly clientId: string;
  readonly accountType: AccountType;
  readonly customer: string;
  readonly permissions: ReadonlySet<Permission>;
}
