import type { Middleware } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountAccess } from '../accounts/account-access.ts';
import { deviceOf } from '../accounts/device-of.ts';
import type { SignedInRecords } from '../accounts/signed-in.ts';
import { digest } from './state/sealing.ts';

/**
 * Keeps the list of where people are signed in, and of what applications got there, after each
 * request in which the library used a session or a refresh token.
 */
export function noteAccess(records: SignedInRecords, access: AccountAccess): Middleware {
  return async (ctx, next) => {
    await next();
    const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
    if (oidc === undefined) return;
    const { session, entities } = oidc;
    // The library's types leave it out.
    const { destroyed } = (session ?? {}) as { destroyed?: boolean };
    if (session !== undefined && destroyed) return access.signedOut(digest(session.uid));
    if (session?.accountId !== undefined) return noteSession(records, ctx, oidc);
    const grantId = entities.RefreshToken?.grantId;
    if (grantId !== undefined) await records.noteUse(digest(grantId));
  };
}

async function noteSession(
  records: SignedInRecords,
  ctx: Parameters<Middleware>[0],
  { session, client, entities }: KoaContextWithOIDC['oidc'],
): Promise<void> {
  const accountId = session?.accountId;
  if (session === undefined || accountId === undefined) return;
  const uid = digest(session.uid);
  const device = deviceOf(ctx.get('user-agent'));
  await records.noteSession({ uid, accountId, device, address: ctx.ip });
  const { AuthorizationCode, DeviceCode } = entities;
  const { grantId, scope = '' } = AuthorizationCode ?? DeviceCode ?? {};
  if (client === undefined || grantId === undefined) return;
  const scopes = scope.split(' ').filter((one) => one !== '');
  await records.noteGrant({
    id: digest(grantId),
    accountId,
    applicationId: client.clientId,
    sessionUid: uid,
    sid: session.sidFor(client.clientId) ?? '',
    scopes,
    // OpenID Connect Back-Channel Logout §2.7: what was asked for offline outlives the session.
    survivesSignOut: DeviceCode !== undefined || scopes.includes('offline_access'),
  });
}
