import type { ApiPermission } from '@cls/shared/access-token';

/** One person. */
export interface Account {
  /** `acc_` and 26 characters; the token's `sub`. */
  readonly id: string;
  /** Canonical: NFKC, trimmed, lower case. */
  readonly email: string;
  readonly customer: string;
  readonly permissions: readonly ApiPermission[];
  /** True when the account or its customer is disabled. */
  readonly disabled: boolean;
  /** A confirmed second factor exists. */
  readonly secondFactor: boolean;
}

/** The one spelling under which an e-mail address is stored, looked up and throttled. */
export function canonicalEmail(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

export interface AccountDirectory {
  find(id: string): Promise<Account | undefined>;
  /**
   * The account whose e-mail and password these are, or undefined for every other case (unknown
   * e-mail, wrong password, disabled account), after the same work in the same time.
   */
  authenticate(email: string, password: string): Promise<Account | undefined>;
}
