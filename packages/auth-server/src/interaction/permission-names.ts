/** Short names of scopes, as people are told them: what follows `/auth/`, or the scope itself. */
export function permissionNames(scopes: readonly string[], scopeBase: string): readonly string[] {
  const prefix = `${scopeBase}/auth/`;
  return scopes
    .filter((scope) => scope !== '' && scope !== 'openid')
    .map((scope) => (scope.startsWith(prefix) ? scope.slice(prefix.length) : scope));
}
