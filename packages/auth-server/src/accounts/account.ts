import { type PersonPermission, READ_PERMISSIONS } from '@cls/shared/access-token';

/** One person. */
export interface Account {
  /** `acc_` and 26 characters; the token's `sub`. */
  readonly id: string;
  /** Canonical: NFKC, trimmed, lower case. */
  readonly email: string;
  /** The display name for applications; absent where none was set. */
  readonly name?: string;
  readonly customer: string;
  readonly permissions: readonly PersonPermission[];
  /** True when the account or its customer is disabled. */
  readonly disabled: boolean;
  /** A confirmed second factor exists. */
  readonly secondFactor: boolean;
  /**
   * The account cannot sign in yet: it has neither a password nor a link to an organisation's
   * provider.
   */
  readonly pending: boolean;
  /**
   * True when another customer has the person: this account looks invited and can never be opened.
   */
  readonly elsewhere?: true;
  /** Absent until the first sign-in. */
  readonly lastSignedInAt?: Date;
  /** Changes with each password that is set; undefined without a password. */
  readonly passwordVersion?: string | undefined;
  /** Changes with each second factor that is added or removed; undefined without one. */
  readonly factorsVersion?: string | undefined;
}

/** Without a password, the person signs in at an organisation's provider, or cannot sign in yet. */
export function hasPassword({ passwordVersion }: Pick<Account, 'passwordVersion'>): boolean {
  return passwordVersion !== undefined;
}

/** Whether the person may see deals: the explorer has something to show. */
export function maySeeDeals({ permissions }: Pick<Account, 'permissions'>): boolean {
  return READ_PERMISSIONS.some((one) => permissions.includes(one));
}

export const ACCOUNT_ID = /^acc_[0-9A-Z]{26}$/;

/** The one spelling under which an e-mail address is stored, looked up and throttled. */
export function canonicalEmail(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** What may be an e-mail address, canonical. */
export const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,190}$/u;

const ADDRESS = /^[^\s@]{1,64}@(?:[\p{L}\p{M}\p{N}-]+\.)+(?!\p{N}+$)[\p{L}\p{M}\p{N}-]{2,}$/u;

const ACCOUNT_FOUND: readonly string[] = [
  'no_password',
  'wrong_password',
  'account_disabled',
] satisfies readonly RefusedPassword[];

/**
 * What a record keeps of text that was typed as an e-mail address: its canonical form. When no
 * account has it, text that does not look like an address is left out, because people type
 * passwords there.
 *
 * @param why it was refused: see RefusedPassword.
 */
export function recordedEmail(text: string, why: string): string {
  const email = canonicalEmail(text).slice(0, 254);
  return ACCOUNT_FOUND.includes(why) || ADDRESS.test(email) ? email : 'unknown';
}

/** Why a password was refused. People read the same message for all of these. */
export type RefusedPassword =
  | 'unknown_email'
  | 'no_password'
  | 'wrong_password'
  | 'account_disabled';

export interface AccountDirectory {
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  /**
   * The account whose e-mail and password these are, or undefined for every other case, after the
   * same work in the same time.
   *
   * @param note called with the reason, for the operator only.
   */
  authenticate(
    email: string,
    password: string,
    note?: (why: RefusedPassword) => void,
  ): Promise<Account | undefined>;
}
