import type { Permission } from '@cls/shared/access-token';
import { CommandRefused } from '@cls/shared/cli/command-line';
import type { Account } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AdministerAccounts } from '../accounts/administer.ts';
import type { Invite } from '../accounts/invite.ts';
import type { PasswordRules } from '../accounts/password-rules.ts';
import type { AuditEventType, AuditLog, AuditReader } from '../audit/audit-log.ts';
import type { ApplicationRecords } from '../clients/application.ts';
import type { ServiceAccountRecords } from '../clients/service-account-records.ts';
import type { CustomerRecords } from '../customers/customer.ts';
import type { SigningKeyStore } from '../keys/signing-key.ts';
import type { TotpFactorRecords } from '../mfa/second-factor.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { UpstreamRecords } from '../upstream/upstream-provider.ts';

/** What a command works with. */
export interface Operator {
  readonly issuer: string;
  readonly production: boolean;
  readonly customers: CustomerRecords;
  readonly serviceAccounts: ServiceAccountRecords;
  readonly applications: ApplicationRecords;
  readonly accounts: AccountRecords;
  readonly passwordRules: PasswordRules;
  readonly invite: Invite;
  readonly administer: AdministerAccounts;
  readonly auditReader: AuditReader;
  readonly upstream: UpstreamRecords;
  readonly totpFactors: TotpFactorRecords;
  readonly throttle: Throttle;
  readonly keys: SigningKeyStore;
  readonly audit: AuditLog;
  /** Records what was done to somebody's account, and tells the person. */
  readonly tell: (type: AuditEventType, account: Account, about?: string) => void;
}

/** Opens the records, works, and closes them again. */
export type AsOperator = <T>(work: (operator: Operator) => Promise<T>) => Promise<T>;

/** @throws {CommandRefused} naming the permissions that callers of this kind can have. */
export function parsePermissions<P extends Permission>(
  names: readonly string[],
  known: readonly P[],
): P[] {
  const isKnown = (name: string): name is P => known.some((one) => one === name);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    throw new CommandRefused(
      `unknown permission: ${unknown.join(', ')}; there are ${known.join(', ')}`,
    );
  }
  return [...new Set(names)].filter(isKnown);
}

export async function requireCustomer(operator: Operator, id: string): Promise<void> {
  if ((await operator.customers.find(id)) === undefined) {
    throw new CommandRefused(`there is no customer ${id}; make it with: cls-auth customers create`);
  }
}
