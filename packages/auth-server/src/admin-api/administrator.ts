/** The administrator: a service account, known from its verified token and its record. */
import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '@cls/shared/access/authenticate';
import { requirePermission } from '@cls/shared/access/require-permission';
import { insufficientPermission, tokenRevoked } from '@cls/shared/access/token-refusals';
import {
  type AdminPermission,
  API_PERMISSIONS,
  type Permission,
  type PersonPermission,
  scopeOf,
} from '@cls/shared/access-token';
import type { ServiceAccountDirectory } from '../clients/service-account.ts';
import { revocationOfToken, type TokenStatusRecords } from '../token-status/token-status.ts';
import { callerDisabled } from './refusals.ts';

export interface Administrator {
  /** Id of the service account. */
  readonly clientId: string;
  /** The customer whose accounts it administers. */
  readonly customer: string;
  /** What it was granted itself. */
  readonly permissions: readonly Permission[];
  /**
   * The permissions that it may grant to people: to see their own customer's deals, and what it was
   * granted itself. Other permissions reach beyond the customer.
   */
  readonly grantablePermissions: readonly PersonPermission[];
}

export interface AdministratorDeps {
  readonly authenticate: Authenticate;
  /** Not cached, so that a service account that was just disabled is refused. */
  readonly serviceAccounts: ServiceAccountDirectory;
  readonly tokenStatus: Pick<TokenStatusRecords, 'revocationOf'>;
  readonly issuer: string;
  readonly scopeBase: string;
}

/** @throws {Refusal} unless the token is valid and its service account still has the permission. */
export async function administratorOf(
  { authenticate, serviceAccounts, tokenStatus, issuer, scopeBase }: AdministratorDeps,
  request: IncomingMessage,
  permission: AdminPermission,
): Promise<Administrator> {
  const { caller, status } = await authenticate(request);
  requirePermission(caller, [permission], scopeBase);
  const account =
    caller.accountType === 'service_account'
      ? await serviceAccounts.find(caller.subject)
      : undefined;
  if (account === undefined || account.disabled || account.customer !== caller.customer) {
    throw callerDisabled();
  }
  const { permissions } = account;
  if (!permissions.includes(permission)) {
    throw insufficientPermission([scopeOf(scopeBase, permission)]);
  }
  if (await revocationOfToken(tokenStatus, issuer, status)) throw tokenRevoked();
  const grantablePermissions = API_PERMISSIONS.filter(
    (one) => one === 'cls-deal.view' || permissions.includes(one),
  );
  const { id: clientId, customer } = account;
  return { clientId, customer, permissions, grantablePermissions };
}
