import { digest } from '../../crypto/digest.ts';
import type { KoaContextWithOIDC } from '../../library/oidc.ts';
import type { AccountAccess } from '../../sessions/account-access.ts';
import { type Pages, seeOther } from '../../web/page.ts';
import { SIGNED_OUT_PATH } from '../../web/paths.ts';

/**
 * Whether one of our own applications asks, with the ID token that it got in this very session. The
 * person pressed "Sign out" there, so we ask no second time. Another site has no such token: a link
 * of it signs nobody out (RP-Initiated Logout 1.0 §2).
 */
export function isAskedByOwnApplication({ oidc }: KoaContextWithOIDC): boolean {
  const { client, session, entities } = oidc;
  const { sub, sid } = entities.IdTokenHint?.payload ?? {};
  if (client?.['first_party'] !== true || session?.accountId === undefined) return false;
  return sub === session.accountId && sid !== undefined && sid === session.sidFor(client.clientId);
}

/** Ends the session, and all that applications got in it; they are notified soon. */
export async function signOutAtOnce(
  ctx: KoaContextWithOIDC,
  access: Pick<AccountAccess, 'signedOut'>,
  pages: Pages,
): Promise<void> {
  const { session, params, provider } = ctx.oidc;
  if (session === undefined) throw new TypeError('there is no session to end');
  // None of them was notified by the library: no `sid` is left out.
  await access.signedOut(digest(session.uid), []);
  await session.destroy();
  provider.emit('end_session.success', ctx);
  seeOther(ctx, backTo(params) ?? pages.path(SIGNED_OUT_PATH));
}

/** The library has compared the address with those that the application registered. */
function backTo(params: KoaContextWithOIDC['oidc']['params']): string | undefined {
  const { post_logout_redirect_uri: uri, state } = params ?? {};
  if (typeof uri !== 'string') return undefined;
  if (typeof state !== 'string') return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
}
