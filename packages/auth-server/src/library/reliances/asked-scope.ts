import type { KoaContextWithOIDC } from 'oidc-provider';

/** The scopes that a request asks for; none where it names no scope. */
export function askedScopes({ oidc }: KoaContextWithOIDC): readonly string[] {
  const { scope } = oidc.params ?? {};
  return typeof scope === 'string' ? scope.split(' ') : [];
}

/**
 * Has the library grant this scope to a request that asks for none. It reads the request's scope
 * after it has asked for the resource server, and would write a token without scopes.
 */
export function setAskedScope({ oidc }: KoaContextWithOIDC, scope: string): void {
  Object.assign(oidc.params ?? {}, { scope });
}
