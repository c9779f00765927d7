import type { PersonPermission } from '@cls/shared/access-token';
import type { Account } from './account.ts';

export interface NewAccount {
  /** Any spelling; stored canonical. */
  readonly email: string;
  readonly name?: string | undefined;
  readonly customer: string;
  readonly permissions: readonly PersonPermission[];
  /** Absent until the person accepts an invitation. */
  readonly passwordHash?: string;
}

/** Accounts in SQL, and changes to them. */
export interface AccountRecords {
  list(): Promise<readonly Account[]>;
  /** A customer's accounts in the order of their ids. @param page `after` an account's id. */
  listOf(
    customer: string,
    page: { readonly email?: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly Account[]>;
  findByEmail(email: string): Promise<Account | undefined>;
  create(account: NewAccount): Promise<string>;
  /**
   * Creates an account that only looks invited, because another customer has the person: see
   * `elsewhere`.
   */
  createElsewhere(account: Omit<NewAccount, 'passwordHash'>): Promise<string>;
  /**
   * Also ends every link to the account: a reset that a stranger requested must not outlive the
   * owner's change.
   *
   * @param version of the password that was proven; false when the password was changed since.
   */
  replacePassword(id: string, passwordHash: string, version?: string): Promise<boolean>;
  /** The name that applications get for the person; undefined removes it. */
  rename(id: string, name: string | undefined): Promise<void>;
  /** Undefined when the password was created with the account, and when there never was one. */
  passwordSetAt(id: string): Promise<Date | undefined>;
  /**
   * @param addable permissions that may be added; the account must have all others at this moment.
   * @returns what the account had before; undefined when one of them may not be added.
   */
  replacePermissions(
    id: string,
    permissions: readonly PersonPermission[],
    addable: readonly PersonPermission[],
  ): Promise<readonly PersonPermission[] | undefined>;
  /** Records that a person signed in, to the minute. True the first time only. */
  recordSignIn(id: string): Promise<boolean>;
  /** Whether the account itself is disabled; its customer does not matter. */
  isDisabled(id: string): Promise<boolean>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /** False, without a change, when the person has signed in or has a factor. */
  deleteUnused(id: string): Promise<boolean>;
}
