import type { AuditLog } from '../../audit/audit-log.ts';
import { digest } from '../../crypto/digest.ts';
import type { Provider, Session } from '../../library/oidc.ts';
import { beforeSessionEnds, isDestroyed } from '../../library/reliances/session-end.ts';
import type { AccountAccess } from '../../sessions/account-access.ts';
import { senderOf } from '../../web/browser.ts';

/**
 * Signing out ends what applications got in the session before the library destroys the session:
 * where that fails, the person is still signed in and can do it again.
 */
export function endBeforeSession(
  provider: Provider,
  access: Pick<AccountAccess, 'signedOut'>,
): void {
  beforeSessionEnds(provider, (session) =>
    access.signedOut(digest(session.uid), toldSids(session)),
  );
}

/** Records who signed out, for which application and from where, in the person's own log. */
export function recordSignOuts(provider: Provider, audit: AuditLog): void {
  provider.on('end_session.success', (ctx) => {
    const { session, client } = ctx.oidc;
    if (session === undefined || !isDestroyed(session)) return;
    // Cookies stay: the one by which a person's device is known outlives a session.
    ctx.set('Clear-Site-Data', '"cache", "storage"');
    if (session.accountId === undefined) return;
    audit.record({
      type: 'sign_in.ended',
      subject: session.accountId,
      ...senderOf(ctx),
      ...(client === undefined ? {} : { clientId: client.clientId }),
    });
  });
}

/**
 * What those applications call the session that the library tells of a sign-out. Of several that
 * signed in at the same time it knows the last alone: each request writes the session as a whole.
 */
function toldSids({ authorizations = {} }: Session): string[] {
  return Object.values(authorizations).flatMap(({ sid }) => (sid === undefined ? [] : [sid]));
}
