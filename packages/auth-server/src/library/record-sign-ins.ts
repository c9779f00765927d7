import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@cls/shared/log';
import type { Middleware } from 'koa';
import type { Grant, KoaContextWithOIDC, RefreshToken } from 'oidc-provider';
import { deviceOf } from '../audit/device-of.ts';
import { digest } from '../crypto/state-seal.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import type { SignedInRecords } from '../sessions/signed-in.ts';
import type { StateStore } from '../state/state-store.ts';
import { GRANT_MARGIN_S } from './configuration.ts';
import { prolong } from './reliances/grant-life.ts';
import { isDestroyed } from './reliances/session-end.ts';

/**
 * Keeps the list of where people are signed in, and of what applications got there, after each
 * request in which the library used a session or a refresh token.
 *
 * Ending a session ends what is on the list. So what was ended while the library was at work is
 * ended again here, after it was listed and before the answer goes out.
 */
export function noteAccess(
  records: SignedInRecords,
  access: AccountAccess,
  state: StateStore,
  log: Log,
): Middleware {
  return async (ctx, next) => {
    await next();
    const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
    if (oidc === undefined) return;
    const { session, entities } = oidc;
    // With all that applications got in it: see sign-out.ts.
    if (session !== undefined && isDestroyed(session)) return;
    if (session?.accountId !== undefined) {
      await noteSession(records, ctx, oidc);
      if (await holds(state, oidc)) return;
      const { AuthorizationCode, DeviceCode } = entities;
      const { grantId } = AuthorizationCode ?? DeviceCode ?? {};
      // The request that ended the session may have read the list before this grant was on it.
      if (grantId !== undefined) await state.revokeGrant(digest(grantId));
      return access.endSession(digest(session.uid));
    }
    const { RefreshToken: token, Grant: grant } = entities;
    if (token?.grantId === undefined) return;
    try {
      await records.noteUse(digest(token.grantId));
      await outlive(grant, token);
    } catch (err) {
      // The old token is spent: without the answer the application would have nothing at all.
      log.warn(
        { err, clientId: oidc.client?.clientId },
        'the use of a refresh token was not recorded',
      );
    }
  };
}

/** What a refresh token is worth ends with its grant, which must live as long as the newest one. */
async function outlive(grant: Grant | undefined, token: RefreshToken): Promise<void> {
  if (grant === undefined) return;
  const missingS = token.remainingTTL + GRANT_MARGIN_S - grant.remainingTTL;
  if (missingS < GRANT_MARGIN_S / 2) return; // Not for each refresh.
  await prolong(grant, missingS);
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

/**
 * The library destroys a session before it puts it under its new id, and a request of another tab
 * may look just then.
 */
const LOOK_AGAIN_MS = [50, 100, 200, 400, 800];

/** Whether the session that a code was made in still exists. */
async function holds(
  state: StateStore,
  { session, entities }: KoaContextWithOIDC['oidc'],
): Promise<boolean> {
  const { AuthorizationCode, DeviceCode } = entities;
  if (AuthorizationCode === undefined && DeviceCode === undefined) return true;
  const uid = digest(session?.uid ?? '');
  const isThere = async () => (await state.findBy('Session', 'uid', uid)) !== undefined;
  for (const waitMs of LOOK_AGAIN_MS) {
    if (await isThere()) return true;
    await sleep(waitMs);
  }
  return isThere();
}
