/**
 * Short names of scopes, as people are told them: what follows `/auth/`, or the scope itself. Beside
 * others `openid` goes without saying; alone it is what there is to tell.
 */
export function permissionNames(scopes: readonly string[], scopeBase: string): readonly string[] {
  const prefix = `${scopeBase}/auth/`;
  const given = scopes.filter((scope) => scope !== '');
  const others = given.filter((scope) => scope !== 'openid');
  return (others.length > 0 ? others : given).map((scope) =>
    scope.startsWith(prefix) ? scope.slice(prefix.length) : scope,
  );
}
