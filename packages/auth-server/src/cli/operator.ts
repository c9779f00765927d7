import { CommandRefused } from '@cls/shared/cli/command-line';
import type { TaskRuns } from '@cls/shared/sql/task-runs';
import type { AdministerAccounts } from '../account-management/administer.ts';
import type { ErasureRecords, Traced } from '../account-management/erase-person.ts';
import type { Invite } from '../account-management/invite.ts';
import type { Account } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AuditArchive } from '../audit/audit-archive.ts';
import type { AuditChain } from '../audit/audit-chain.ts';
import type { AuditEventType, AuditLog, AuditReader } from '../audit/audit-log.ts';
import type { Undeletable } from '../audit/never-used.ts';
import type { ApplicationRecords } from '../clients/application.ts';
import type { ClientSecretRecords } from '../clients/client-secret-records.ts';
import type { ServiceAccount } from '../clients/service-account.ts';
import type { ServiceAccountRecords } from '../clients/service-account-records.ts';
import type { TotpFactorRecords } from '../factors/second-factor.ts';
import type { AfterRestore } from '../installation/after-restore.ts';
import type { Installation } from '../installation/installation.ts';
import type { SigningKeyStore } from '../keys/signing-key.ts';
import type { AnswerLeak } from '../leaks/answer-leak.ts';
import type { SecurityContacts } from '../notices/security-contact.ts';
import type { Customer, CustomerRecords } from '../organisations/customer.ts';
import type { UpstreamLinks, UpstreamRecords } from '../organisations/upstream-provider.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { TokenStatusRecords } from '../token-status/token-status.ts';

/** What a command works with. */
export interface Operator {
  readonly taskRuns: TaskRuns;
  readonly issuer: string;
  /** The operator’s name, as authenticators show it. */
  readonly product: string;
  readonly production: boolean;
  /** Where messages are written as files; undefined where a mail server takes them. */
  readonly outbox: string | undefined;
  /** Days that events of the audit are kept; 0 for ever. */
  readonly auditDays: number;
  readonly customers: CustomerRecords;
  readonly securityContacts: SecurityContacts;
  /** Why notices are not sent to a URL; undefined where they may be. */
  readonly webhookFault: (url: string) => string | undefined;
  readonly serviceAccounts: ServiceAccountRecords;
  readonly applications: ApplicationRecords;
  readonly secrets: ClientSecretRecords;
  readonly revocationOf: TokenStatusRecords['revocationOf'];
  readonly answerLeak: AnswerLeak;
  readonly accounts: AccountRecords;
  readonly invite: Invite;
  readonly access: Pick<AccountAccess, 'endAll' | 'endLeft' | 'endApplicationOfAll'>;
  readonly administer: AdministerAccounts;
  readonly erasure: ErasureRecords;
  readonly erasePeople: (people: readonly Traced[]) => Promise<void>;
  readonly auditReader: AuditReader;
  readonly auditArchive: AuditArchive;
  readonly auditChain: AuditChain;
  readonly upstream: UpstreamRecords;
  readonly upstreamLinks: Pick<UpstreamLinks, 'accountsOf'>;
  readonly totpFactors: TotpFactorRecords;
  readonly throttle: Throttle;
  readonly keys: SigningKeyStore;
  readonly installation: Installation;
  readonly afterRestore: AfterRestore;
  readonly audit: AuditLog;
  /** Records a change to an account, and sends its owner a message. */
  readonly tell: (type: AuditEventType, account: Account, about?: string) => void;
}

/**
 * Opens the records, works, and closes them again.
 *
 * @param how `mayCreate` for a command that makes the first thing in a store, and the store with it;
 *   `owner` for one that needs the role that owns the schema.
 */
export type AsOperator = <T>(
  work: (operator: Operator) => Promise<T>,
  how?: { readonly mayCreate?: boolean; readonly owner?: boolean },
) => Promise<T>;

/** For commands that make the first thing in a store, and the store with it. */
export const MAY_CREATE = { mayCreate: true } as const;

/** @throws {CommandRefused} for what may not be deleted, with what to do instead. */
export function refuseDeletion(what: string, why: Undeletable | undefined): void {
  if (why === undefined) return;
  throw new CommandRefused(
    why === 'used'
      ? `${what} has been used, and records refer to it: disable it instead`
      : `${what} is older than the audit, so whether it was used is unknown: disable it instead`,
  );
}

/** @throws {CommandRefused} */
export async function requireCustomer(operator: Operator, id: string): Promise<Customer> {
  const customer = await operator.customers.find(id);
  if (customer === undefined) {
    throw new CommandRefused(
      `there is no customer ${id}: cls-auth customers list shows all, customers create makes one`,
    );
  }
  return customer;
}

/** @throws {CommandRefused} */
export async function requireServiceAccount(
  operator: Operator,
  id: string,
): Promise<ServiceAccount> {
  const account = await operator.serviceAccounts.find(id);
  if (account === undefined) throw noServiceAccount(id);
  return account;
}

export function noServiceAccount(id: string): CommandRefused {
  return new CommandRefused(`there is no service account ${id}`);
}

/** @throws {CommandRefused} */
export async function requireAccount(operator: Operator, email: string): Promise<Account> {
  const account = await operator.accounts.findByEmail(email);
  if (account === undefined) throw new CommandRefused(`there is no account ${email}`);
  return account;
}

/** For commands that take people out of the audit. */
export const AS_OWNER = { owner: true } as const;

/** Before anything is changed. @throws {CommandRefused} */
export async function requireMayErase({ erasure }: Operator): Promise<void> {
  if (await erasure.mayErase()) return;
  throw new CommandRefused(
    'this role of the database may not change audit events, so nothing was erased: set AUTH_MIGRATIONS_DATABASE_URL to the URL with the role that owns the schema',
  );
}

/** The API keeps them apart from who may sign in. */
export function revokeEntitlements(id: string): string {
  return `its tokens are revoked; its entitlements stay until you revoke them: cls-api entitlements list --customer ${id}, then cls-api entitlements revoke <rule> for each`;
}
