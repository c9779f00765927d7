import type { Permission } from '@cls/shared/access-token';
import type { Secret } from '@cls/shared/secret';
import type { Undeletable } from '../audit/never-used.ts';
import type { ServiceAccount } from './service-account.ts';

export interface NewServiceAccount {
  readonly name: string;
  readonly customer: string;
  readonly permissions: readonly Permission[];
}

/** With when it was made, and when and where it got its last token, to the minute. */
export interface ListedServiceAccount extends ServiceAccount {
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
}

/** Service accounts in SQL, for the operator's tool. */
export interface ServiceAccountRecords {
  list(): Promise<readonly ListedServiceAccount[]>;
  find(id: string): Promise<ServiceAccount | undefined>;
  /** The secret is returned here and never again. */
  create(account: NewServiceAccount): Promise<{ id: string; secret: Secret }>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /** Disables all of a customer and deletes their secrets and keys. @returns the ids of those it changed. */
  retireOf(customer: string): Promise<readonly string[]>;
  /** Nothing changes for what is left out. A proof with a method deletes the secrets. */
  update(
    id: string,
    change: Partial<Pick<ServiceAccount, 'name' | 'permissions' | 'proof'>>,
  ): Promise<void>;
  /** @returns why it was not deleted. @param auditDays see audit/never-used.ts. */
  deleteUnused(id: string, auditDays: number): Promise<Undeletable | undefined>;
}
