import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { ResourceServerSettings } from './resource-server.ts';

/**
 * What the person has allowed the application before. The platform's own applications have what
 * they ask for: nobody is asked to consent to the platform itself.
 */
export async function existingGrant(
  ctx: KoaContextWithOIDC,
  { audience, scopeBase }: ResourceServerSettings,
): Promise<Grant | undefined> {
  const { client, session, provider, result } = ctx.oidc;
  const accountId = session?.accountId;
  if (client === undefined || accountId === undefined) return undefined;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(client.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const own = known?.accountId === accountId && known.clientId === client.clientId;
  if (client['first_party'] !== true) return own ? known : undefined;
  const grant = own ? known : new provider.Grant({ accountId, clientId: client.clientId });
  const asked = [...ctx.oidc.requestParamScopes];
  const openid = asked.filter((scope) => ctx.oidc.requestParamOIDCScopes.has(scope));
  if (openid.length > 0) grant.addOIDCScope(openid.join(' '));
  // To the library permissions are both: scopes that it knows, and scopes of a resource.
  const permissions = asked.filter((scope) => scope.startsWith(`${scopeBase}/auth/`));
  if (permissions.length > 0) grant.addResourceScope(audience, permissions.join(' '));
  grant.addOIDCClaims([...ctx.oidc.requestParamClaims]);
  await grant.save();
  return grant;
}
