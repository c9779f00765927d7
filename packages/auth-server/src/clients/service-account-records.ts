import type { Permission } from '@cls/shared/access-token';
import type { Secret } from '@cls/shared/secret';
import type { Undeletable } from '../audit/never-used.ts';
import type { ClientProof } from './client-proof.ts';
import type { ServiceAccount } from './service-account.ts';

export interface NewServiceAccount {
  readonly name: string;
  readonly customer: string;
  readonly permissions: readonly Permission[];
  readonly proof?: ClientProof | null;
}

/** With when it was made, and when and where it got its last token, to the minute. */
export interface ListedServiceAccount extends ServiceAccount {
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
}

/** Service accounts in SQL, and changes to them. */
export interface ServiceAccountRecords {
  /** Those of one customer, or all. */
  list(customer?: string): Promise<readonly ListedServiceAccount[]>;
  /** A customer's, in the order of their ids. @param page `after` an id. */
  listOf(
    customer: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly ListedServiceAccount[]>;
  find(id: string): Promise<ServiceAccount | undefined>;
  /** The secret is returned here and never again; it is good for nothing where a proof has a method. */
  create(account: NewServiceAccount): Promise<{ id: string; secret: Secret }>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /** Disables all of a customer and deletes their secrets and keys. @returns the ids of those it changed. */
  retireOf(customer: string): Promise<readonly string[]>;
  /** All of it or nothing, and nothing for what is left out. A proof with a method takes the place of the secrets. */
  update(id: string, change: Partial<Omit<NewServiceAccount, 'customer'>>): Promise<void>;
  /** @returns why it was not deleted. @param auditDays see audit/never-used.ts. */
  deleteUnused(id: string, auditDays: number): Promise<Undeletable | undefined>;
}
