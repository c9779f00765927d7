import type { ApiPermission } from '@cls/shared/access-token';
import type { Account } from './account.ts';

export interface NewAccount {
  /** Any spelling; stored canonical. */
  readonly email: string;
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
  replacePassword(id: string, passwordHash: string): Promise<void>;
  hasPassword(id: string): Promise<boolean>;
  /** Undefined while there is none, or none that was changed since the account was made. */
  passwordChangedAt(id: string): Promise<Date | undefined>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
}
