/**
 * Decisions where published tools and policies disagree. `decision` says what the gate does; each has
 * a test of the same name in contested.test.ts and a line in docs/reference/contract-gate.md.
 */
export const CONTESTED = {
  'response-enum-value-added': 'R5, unless the list is marked x-extensible-enum',
  'response-enum-value-removed': 'compatible',
  'request-default-changed': 'R5, also when a default is added or removed',
  'response-default-changed': 'compatible',
  'property-became-read-only': 'R3 in requests, because it can no longer be sent',
  'property-became-write-only': 'R3 in responses, because it no longer comes',
  'property-no-longer-read-only': 'a new request property: R4 when required, else compatible',
  'property-no-longer-write-only': 'a new response property: compatible',
  'discriminator-added-or-removed': 'compatible; the alternatives themselves are compared',
  'discriminator-property-changed': 'R5',
  'response-object-opened': 'compatible: answers may always grow by properties',
  'response-object-closed': 'compatible',
  'error-status-removed': 'R5, unless default or a range still covers it',
  'error-status-added': 'R5 for 4xx that no range and no default covered; 5xx compatible',
  'server-host-changed': 'compatible; not reported',
  'server-path-changed': 'R1',
  'request-pattern-changed': 'R6, unless the new one accepts everything',
  'response-pattern-changed': 'R5',
  'wrapped-in-single-choice': 'compatible; not reported',
  'operation-id-changed': 'compatible',
  'null-within-all-of': 'in 3.0 one nullable member is enough',
  'became-required-with-default': 'compatible, because the rule names fields without a default',
  'unused-security-scheme-removed': 'R2',
  'scope-described-anew': 'R2, because its description is what defines a scope',
  'security-loosened': 'R2, because a permission definition changed',
  'all-of-member-added':
    'R6 in requests where there were two members already, even where it repeats one',
  'named-alternative-repeats-another': 'its loss is R6 in requests, its arrival R5 in responses',
  'response-header-became-required': 'compatible',
  'media-type-parameters-changed': 'R3 and compatible, except for charset and q',
} as const;

export type ContestedCase = keyof typeof CONTESTED;

const PERMISSION_WORDS = new Set([
  ...['permission', 'permissions', 'scope', 'scopes', 'role', 'roles', 'auth', 'authorization'],
  ...['authentication', 'security', 'entitlement', 'entitlements', 'access', 'privilege'],
  ...['privileges', 'grant', 'grants', 'acl', 'rbac'],
]);

/** Whether an extension such as `x-permissions` defines who may do what. */
export function isPermissionExtension(name: string): boolean {
  if (!name.startsWith('x-')) return false;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => PERMISSION_WORDS.has(word));
}
