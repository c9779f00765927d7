import type { ApiPermission } from '@cls/shared/access-token';
import type { Account } from './account.ts';

export interface NewAccount {
  /** Any spelling; stored canonical. */
  readonly email: string;
  readonly name?: string | undefined;
  readonly customer: string;
  readonly permissions: readonly ApiPermission[];
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
  /** One that looks as if it was invited, of somebody whom another customer has: see `elsewhere`. */
  createElsewhere(account: Omit<NewAccount, 'passwordHash'>): Promise<string>;
  /**
   * Ends every link into the account too: a reset that a stranger asked for must not outlive the
   * change that its owner made for it.
   *
   * @param version of the password that was proven; false when that is not it (any more).
   */
  replacePassword(id: string, passwordHash: string, version?: string): Promise<boolean>;
  /** What applications call the person from now on; undefined takes the name away. */
  rename(id: string, name: string | undefined): Promise<void>;
  /** Undefined where the present one came with the account, and while there was never one. */
  passwordSetAt(id: string): Promise<Date | undefined>;
  /**
   * @param addable what may be added; all else must be there already, in this very moment.
   * @returns what the account had before; undefined where more was to be added.
   */
  replacePermissions(
    id: string,
    permissions: readonly ApiPermission[],
    addable: readonly ApiPermission[],
  ): Promise<readonly ApiPermission[] | undefined>;
  /** Of a person who has proven who they are. True the first time, and never again. */
  noteSignIn(id: string): Promise<boolean>;
  /** Itself, whatever its customer is. */
  isDisabled(id: string): Promise<boolean>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /** False, and nothing is done, where the person has signed in, or has a factor. */
  deleteUnused(id: string): Promise<boolean>;
}
