import type { Permission } from '@cls/shared/access-token';
import type { Account } from './account.ts';

export interface NewAccount {
  /** Any spelling; stored canonical. */
  readonly email: string;
  readonly customer: string;
  readonly permissions: readonly Permission[];
  readonly passwordHash: string;
}

/** Accounts in SQL, for the operator's tool. */
export interface AccountRecords {
  list(): Promise<readonly Account[]>;
  findByEmail(email: string): Promise<Account | undefined>;
  create(account: NewAccount): Promise<string>;
  replacePassword(id: string, passwordHash: string): Promise<void>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
}
