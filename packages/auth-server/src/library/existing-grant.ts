import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { ConsentRecords } from '../sessions/session-store.ts';
import type { ResourceServerSettings } from './resource-server.ts';

export interface ExistingGrantSettings extends ResourceServerSettings {
  readonly consents: ConsentRecords;
}

/**
 * What the person has allowed the application before. The platform's own applications have what
 * they ask for: nobody is asked to consent to the platform itself.
 */
export async function existingGrant(
  ctx: KoaContextWithOIDC,
  { audience, scopeBase, consents }: ExistingGrantSettings,
): Promise<Grant | undefined> {
  const { client, session, provider, result } = ctx.oidc;
  const accountId = session?.accountId;
  if (client === undefined || accountId === undefined) return undefined;
  const firstParty = client['first_party'] === true;
  // What a session names may be from before the person withdrew it: the record alone decides.
  const allowed = firstParty
    ? [...ctx.oidc.requestParamScopes]
    : (await consents.find(accountId, client.clientId))?.scopes;
  if (allowed === undefined) return undefined;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(client.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const own = known?.accountId === accountId && known.clientId === client.clientId;
  const good =
    own && (firstParty || grantedScopes(known, audience).every((one) => allowed.includes(one)));
  const grant = good ? known : new provider.Grant({ accountId, clientId: client.clientId });
  // To the library permissions are both: scopes that it knows, and scopes of a resource.
  const permissions = allowed.filter((scope) => scope.startsWith(`${scopeBase}/auth/`));
  const openid = firstParty
    ? allowed.filter((scope) => ctx.oidc.requestParamOIDCScopes.has(scope))
    : allowed;
  if (openid.length > 0) grant.addOIDCScope(openid.join(' '));
  if (permissions.length > 0) grant.addResourceScope(audience, permissions.join(' '));
  grant.addOIDCClaims([...ctx.oidc.requestParamClaims]);
  await grant.save();
  return grant;
}

export function grantedScopes(grant: Grant, audience: string): readonly string[] {
  const scopes = `${grant.getOIDCScope()} ${grant.getResourceScope(audience)}`;
  return scopes.split(' ').filter((scope) => scope !== '');
}
