import type { PersonPermission } from '@cls/shared/access-token';

/**
 * Short names of scopes, as people read them: what follows `/auth/`, or the scope itself. `openid`
 * is left out beside others, and shown when it is alone.
 *
 * @param held the person's permissions. Others are left out: an application cannot use what the
 *   person does not have.
 */
export function permissionNames(
  scopes: readonly string[],
  scopeBase: string,
  held?: readonly PersonPermission[],
): readonly string[] {
  const prefix = `${scopeBase}/auth/`;
  const holds = held?.map((permission) => `${prefix}${permission}`);
  const given = scopes.filter(
    (scope) => scope !== '' && (!scope.startsWith(prefix) || (holds?.includes(scope) ?? true)),
  );
  const others = given.filter((scope) => scope !== 'openid');
  return (others.length > 0 ? others : given).map((scope) =>
    scope.startsWith(prefix) ? scope.slice(prefix.length) : scope,
  );
}
