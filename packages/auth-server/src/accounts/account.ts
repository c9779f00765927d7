import type { ApiPermission } from '@cls/shared/access-token';

/** One person. */
export interface Account {
  /** `acc_` and 26 characters; the token's `sub`. */
  readonly id: string;
  /** Canonical: NFKC, trimmed, lower case. */
  readonly email: string;
  /** What applications call the person; absent where nobody said. */
  readonly name?: string;
  readonly customer: string;
  readonly permissions: readonly ApiPermission[];
  /** True when the account or its customer is disabled. */
  readonly disabled: boolean;
  /** A confirmed second factor exists. */
  readonly secondFactor: boolean;
  /** Neither a password nor an organisation's own provider lets anybody in (yet). */
  readonly pending: boolean;
  /** Another customer has the person: this one was invited, and never opens. Absent: no. */
  readonly elsewhere?: true;
  /** Another one for each password that is set; undefined without a password. */
  readonly passwordVersion?: string | undefined;
}

/** Without one the person's organisation lets them in, or nobody does yet. */
export function hasPassword({ passwordVersion }: Pick<Account, 'passwordVersion'>): boolean {
  return passwordVersion !== undefined;
}

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
 * What a record keeps of what was typed as an e-mail address: canonical, and where no account has
 * it nothing that does not look like one, because people type passwords there.
 *
 * @param why it was refused: see RefusedPassword.
 */
export function recordedEmail(text: string, why: string): string {
  const email = canonicalEmail(text).slice(0, 254);
  return ACCOUNT_FOUND.includes(why) || ADDRESS.test(email) ? email : 'unknown';
}

/** Why a password opens nothing. People read the same refusal for all of these. */
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
   * @param note called with the case, for the operator alone.
   */
  authenticate(
    email: string,
    password: string,
    note?: (why: RefusedPassword) => void,
  ): Promise<Account | undefined>;
}
