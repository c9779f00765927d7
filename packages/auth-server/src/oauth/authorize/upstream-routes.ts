import { dropCookie, readCookie, writeCookie } from '@cls/shared/pages/browser';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { AuditLog } from '../../audit/audit-log.ts';
import { digest } from '../../crypto/digest.ts';
import { routesOf } from '../../library/request-context.ts';
import type { FinishRefusal, UpstreamSignIn } from '../../organisations/sign-in-upstream.ts';
import type { StateStore } from '../../state/state-store.ts';
import { actorOf } from '../../web/browser.ts';
import { refreshRedirectPage } from '../../web/continue.ts';
import { showErrorPage } from '../../web/error-page.ts';
import { showExpired } from '../../web/expired-page.ts';
import type { Pages } from '../../web/page.ts';
import { beginProgress } from './progress.ts';

export interface UpstreamDeps {
  readonly upstreamSignIn: UpstreamSignIn;
  readonly state: StateStore;
  readonly audit: AuditLog;
  readonly pages: Pages;
}

/** One cookie for each redirect: two tabs may be away at once, and either may come back first. */
const cookieOf = (pages: Pages, state: string) => ({
  name: `cls_upstream_${digest(state)}`,
  path: pages.path('/upstream'),
});
const TTL_MS = 600_000;
const UID = /^[\w-]{10,64}$/;

/**
 * Remembers the interaction that a browser left for its organisation, because the interaction's own
 * cookie is for its own path.
 */
export function rememberUpstreamReturn(
  ctx: Context,
  { pages }: Pick<UpstreamDeps, 'pages'>,
  state: string,
  uid: string,
): void {
  writeCookie(ctx, cookieOf(pages, state), uid, TTL_MS);
}

/**
 * Sends a browser to or from an organisation's provider. Not by a redirect: Chromium asks the
 * policy of the page whose form began a chain of redirects, ours or the provider's, about each of
 * them, and neither knows where the other leads on to. `Refresh` begins anew, without scripts.
 */
export function refreshRedirect(pages: Pages, ctx: Context, href: string): void {
  pages.show(ctx, {
    again: false,
    render: (frame, i18n) => refreshRedirectPage({ frame, href }, i18n),
  });
  ctx.set('Refresh', `0; url=${href}`);
}

/** Where people come back from their organisation's provider: `/upstream/<domain>`. */
export function upstreamRoutes(deps: UpstreamDeps): Middleware {
  const { upstreamSignIn, state, audit, pages } = deps;
  const router = new Router({ sensitive: true, strict: true });
  router.get('/upstream/:domain', async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const cookie = cookieOf(pages, query.get('state') ?? '');
    const uid = readCookie(ctx, cookie) ?? '';
    const actor = actorOf(ctx);
    const domain = String(ctx['params']['domain']);
    const result = await upstreamSignIn.finish(domain, query, uid, actor);
    if (uid !== '') dropCookie(ctx, cookie);
    if ('refused' in result || !UID.test(uid)) {
      const { refused, reason } =
        'refused' in result
          ? result
          : ({ refused: 'expired', reason: 'interaction_unknown' } as const);
      ctx.state['refused'] = reason;
      if (refused === 'begin_again')
        return refreshRedirect(pages, ctx, pages.path(`/interaction/${uid}`));
      audit.record({ type: 'sign_in.refused', subject: domain, address: ctx.ip, reason });
      return showRefusal(deps, ctx, refused);
    }
    const { account, ...proven } = result;
    await beginProgress({ state }, uid, account, {
      ...proven,
      rememberDevice: undefined,
      throughOrganisation: true,
    });
    refreshRedirect(pages, ctx, pages.path(`/interaction/${uid}`));
  });
  return routesOf(router);
}

function showRefusal(
  { pages }: UpstreamDeps,
  ctx: Context,
  why: Exclude<FinishRefusal['refused'], 'begin_again'>,
): void {
  if (why === 'expired') showExpired(pages, ctx);
  else showErrorPage(pages, ctx, { status: why === 'account_unusable' ? 403 : 502, kind: why });
}
