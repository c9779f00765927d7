import { type Permission, scopeOf } from '../access-token.ts';
import type { Caller } from './caller.ts';
import { insufficientPermission } from './token-refusals.ts';

/** @throws {Refusal} `insufficient_permission` when the caller has none of `permissions`. */
export function requirePermission(
  caller: Caller,
  permissions: readonly Permission[],
  scopeBase: string,
): void {
  if (permissions.some((permission) => caller.permissions.has(permission))) return;
  throw insufficientPermission(permissions.map((permission) => scopeOf(scopeBase, permission)));
}
