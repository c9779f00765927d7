import type { Log } from '@cls/shared/log';
import { readCookie } from '@cls/shared/pages/browser';
import {
  type Adapter,
  type AdapterPayload,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { digest } from '../crypto/digest.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { deviceIdOf } from '../sessions/remembered-devices.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { StateStore } from '../state/state-store.ts';
import { deviceOf, REMEMBERED_COOKIE } from '../web/browser.ts';
import { prolong } from './reliances/grant-life.ts';

export interface SignInRecordDeps {
  readonly sessionStore: SessionStore;
  readonly access: Pick<AccountAccess, 'endSession'>;
  readonly state: Pick<StateStore, 'revokeGrant'>;
  readonly log: Log;
}

/** How long a grant lives beyond what was given out for it. */
export const GRANT_MARGIN_S = 86_400;

/**
 * Keeps the list of where people are signed in, and of what applications got there. The adapter that
 * stores a session, a code or a refresh token writes the row of the list right afterwards.
 *
 * Ending a session ends the grants that are on the list at that time. A request under way may list its
 * grant too late for that. The library stores a code before the session in which the code was made, so
 * the request looks at its session last of all: if the session was ended, the request ends the grant
 * and the session again. A crash between two of these writes leaves nothing open: no answer has gone
 * out, so nobody has the code or the session's new id.
 */
export function recordSignIns(adapter: Adapter, kind: string, deps: SignInRecordDeps): Adapter {
  const record = RECORDERS[kind];
  if (record === undefined) return adapter;
  return {
    ...adapter,
    async upsert(id, payload, expiresIn) {
      await adapter.upsert(id, payload, expiresIn);
      const { ctx } = Provider;
      if (ctx !== undefined) await record({ adapter, deps, ctx, id, payload, expiresIn });
    },
  };
}

interface Stored {
  readonly adapter: Adapter;
  readonly deps: SignInRecordDeps;
  /** The request in which it is stored: device and address of the list are the request's. */
  readonly ctx: KoaContextWithOIDC;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresIn: number | undefined;
}

const RECORDERS: Readonly<Record<string, (stored: Stored) => Promise<void>>> = {
  Session: recordSession,
  AuthorizationCode: recordGrant,
  DeviceCode: recordGrant,
  RefreshToken: recordUse,
};

async function recordSession(stored: Stored): Promise<void> {
  const { deps, ctx, payload } = stored;
  const { uid = '', accountId } = payload;
  if (accountId === undefined) return;
  const device = deviceOf(ctx.get('user-agent'));
  const cookie = readCookie(ctx, REMEMBERED_COOKIE);
  await deps.sessionStore.recordSession({
    ...{ uid: digest(uid), accountId, device, address: ctx.ip },
    rememberedDeviceId: deviceIdOf(cookie),
  });
  const { AuthorizationCode, DeviceCode } = ctx.oidc.entities;
  const { grantId } = AuthorizationCode ?? DeviceCode ?? {};
  if (grantId === undefined || (await isAlive(stored))) return;
  // The request that ended the session may have read the list before this grant was on it.
  await deps.state.revokeGrant(digest(grantId));
  await deps.access.endSession(digest(uid));
}

/**
 * Whether a session that was just stored has not been ended. Another tab may have given it a new id
 * meanwhile, and removed the id under which it was stored here, which this browser is about to get.
 * Stored again, it is there, unless it was ended.
 */
async function isAlive({ adapter, id, payload, expiresIn }: Stored): Promise<boolean> {
  if ((await adapter.find(id)) !== undefined) return true;
  await adapter.upsert(id, payload, expiresIn);
  return (await adapter.findByUid(payload.uid ?? '')) !== undefined;
}

/** Of a second device: only once the person has let it in. */
async function recordGrant({ deps, ctx, payload }: Stored): Promise<void> {
  const { grantId, accountId, clientId, sessionUid, scope = '', kind } = payload;
  if (grantId === undefined || accountId === undefined) return;
  if (clientId === undefined || sessionUid === undefined) return;
  const scopes = scope.split(' ').filter((one) => one !== '');
  await deps.sessionStore.recordGrant({
    id: digest(grantId),
    accountId,
    applicationId: clientId,
    sessionUid: digest(sessionUid),
    sid: ctx.oidc.session?.sidFor(clientId) ?? '',
    scopes,
    // OpenID Connect Back-Channel Logout §2.7: what was asked for offline outlives the session.
    survivesSignOut: kind === 'DeviceCode' || scopes.includes('offline_access'),
  });
}

async function recordUse({ deps, ctx, payload }: Stored): Promise<void> {
  const { grantId, exp } = payload;
  if (grantId === undefined) return;
  try {
    await deps.sessionStore.recordUse(digest(grantId));
    await outlive(ctx, exp);
  } catch (err) {
    // Not worth a refusal: the list shows an older time of use, and the next refresh prolongs.
    const clientId = ctx.oidc.client?.clientId;
    deps.log.warn({ err, clientId }, 'the use of a refresh token was not recorded');
  }
}

/** A refresh token works only while its grant exists, so the grant must live as long as the newest. */
async function outlive({ oidc }: KoaContextWithOIDC, tokenExp = 0): Promise<void> {
  const { Grant: grant } = oidc.entities;
  const missingS = tokenExp + GRANT_MARGIN_S - (grant?.exp ?? Number.POSITIVE_INFINITY);
  // Not for each refresh.
  if (grant !== undefined && missingS >= GRANT_MARGIN_S / 2) await prolong(grant, missingS);
}
