import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Has the library grant this scope to a request that asks for none. It reads the request's scope
 * after it has asked for the resource server, and would write a token without scopes.
 */
export function setAskedScope({ oidc }: KoaContextWithOIDC, scope: string): void {
  Object.assign(oidc.params ?? {}, { scope });
}
