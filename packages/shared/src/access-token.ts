/**
 * The access token both services are bound to: a JWT of RFC 9068 (`typ: at+jwt`), signed RS256.
 * auth-server writes its claims, resource-api reads them; nothing else crosses between the two.
 */

/** To read balances: any one of these opens every read of the balances API. */
export const READ_PERMISSIONS = ['cls-deal.view', 'external-api.fullcontrol'] as const;

/** To post statements and journal files into the book over HTTP; nobody has it by default. */
export const POST_PERMISSION = 'cls-ledger.post';

/** What callers may do at the balances API: service accounts and people. */
export const API_PERMISSIONS = [...READ_PERMISSIONS, POST_PERMISSION] as const;
export type ApiPermission = (typeof API_PERMISSIONS)[number];

/**
 * To manage the integrations of one's own customer on the account pages, and to see its use of the API: people
 * alone. A token names it only where a second factor was proven.
 */
export const INTEGRATIONS_PERMISSION = 'cls-customer.administer';

/** What people may have. */
export const PERSON_PERMISSIONS = [...API_PERMISSIONS, INTEGRATIONS_PERMISSION] as const;
export type PersonPermission = (typeof PERSON_PERMISSIONS)[number];

/** To administer the accounts of one's own customer: service accounts alone, at that API alone. */
export const ADMIN_PERMISSION = 'cls-accounts.manage';

/** To make, replace and end secrets of service accounts of one's own customer: the same. */
export const SECRETS_PERMISSION = 'cls-secrets.manage';

/** What callers may do at the administrators' API. */
export const ADMIN_PERMISSIONS = [ADMIN_PERMISSION, SECRETS_PERMISSION] as const;
export type AdminPermission = (typeof ADMIN_PERMISSIONS)[number];

/** To ask the issuer whether any token is good (RFC 7662): service accounts that stand for a resource server. */
export const INTROSPECT_PERMISSION = 'cls-token.introspect';

/** What service accounts may have. */
export const SERVICE_PERMISSIONS = [
  ...API_PERMISSIONS,
  ...ADMIN_PERMISSIONS,
  INTROSPECT_PERMISSION,
] as const;

/** What a caller may do. A scope names a permission below the deployment's scope base. */
export const PERMISSIONS = [...SERVICE_PERMISSIONS, INTEGRATIONS_PERMISSION] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** `account`: one person. `service_account`: a system-to-system integration. */
export type AccountType = 'account' | 'service_account';

/** The longest lifetime of any access token, in seconds (24 hours). */
export const ACCESS_TOKEN_TTL_MAX_S = 86_400;

export const ACCESS_TOKEN_ALG = 'RS256';

/** What a customer's id looks like, in both services: it is what joins a token to entitlements. */
export const CUSTOMER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The identifier of the administrators' API in `aud`, beside the balances API's. */
export function adminAudience(issuer: string): string {
  return `${issuer}/admin`;
}

/** Those of a person's permissions that a token may name. @param mfa whether a second factor was proven */
export function tokenPermissions(
  permissions: readonly PersonPermission[],
  mfa: boolean,
): readonly PersonPermission[] {
  return permissions.filter((one) => mfa || one !== INTEGRATIONS_PERMISSION);
}

/** `https://cls.example` and `cls-deal.view` make `https://cls.example/auth/cls-deal.view`. */
export function scopeOf(scopeBase: string, permission: Permission): string {
  return `${scopeBase}/auth/${permission}`;
}

/** The permission a scope names, or undefined for a scope of another base or of none. */
export function permissionOf(scopeBase: string, scope: string): Permission | undefined {
  const prefix = `${scopeBase}/auth/`;
  const name = scope.startsWith(prefix) ? scope.slice(prefix.length) : '';
  return PERMISSIONS.find((permission) => permission === name);
}
