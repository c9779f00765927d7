import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { AuditLog } from '../audit/audit-log.ts';
import { readCookie, writeCookie } from '../http/cookie.ts';
import type { StateStore } from '../provider/state/state-store.ts';
import type { FinishRefusal, UpstreamSignIn } from '../upstream/sign-in-upstream.ts';
import { errorPage } from '../views/outcome/error.ts';
import { expiredPage } from '../views/outcome/expired.ts';
import { type Pages, seeOther } from './page.ts';
import { keepProgress } from './progress.ts';
import { wayOnFrom } from './provider-pages.ts';
import { requesterOf } from './requester.ts';

export interface UpstreamParts {
  readonly upstreamSignIn: UpstreamSignIn;
  readonly state: StateStore;
  readonly audit: AuditLog;
  readonly pages: Pages;
}

const cookie = (pages: Pages) => ({ name: 'cls_upstream', path: pages.path('/upstream') });
const TTL_MS = 600_000;
const UID = /^[\w-]{10,64}$/;

/** Which interaction a browser left for its organisation; its own cookie is for its own path. */
export function leaveFor(ctx: Context, { pages }: Pick<UpstreamParts, 'pages'>, uid: string): void {
  writeCookie(ctx, cookie(pages), uid, TTL_MS);
}

/** Where people come back from their organisation's provider: `/upstream/<domain>`. */
export function upstreamRoutes(parts: UpstreamParts): Middleware {
  const { upstreamSignIn, state, audit, pages } = parts;
  const router = new Router({ sensitive: true, strict: true });
  router.get('/upstream/:domain', async (ctx) => {
    const uid = readCookie(ctx, cookie(pages)) ?? '';
    const by = requesterOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const domain = String(ctx['params']['domain']);
    const result = await upstreamSignIn.finish(domain, query, uid, by);
    if ('refused' in result || !UID.test(uid)) {
      const reason = 'refused' in result ? result.reason : 'interaction_unknown';
      audit.record({ type: 'sign_in.refused', subject: domain, address: ctx.ip, reason });
      return showRefusal(parts, ctx, 'refused' in result ? result.refused : 'expired');
    }
    const { account, amr } = result;
    await keepProgress(state, uid, {
      accountId: account.id,
      email: account.email,
      amr,
      secondFactor: account.secondFactor,
      rememberDevice: false,
    });
    seeOther(ctx, pages.path(`/interaction/${uid}`));
  });
  return router.routes() as unknown as Middleware;
}

function showRefusal({ pages }: UpstreamParts, ctx: Context, why: FinishRefusal['refused']): void {
  const referenceId = String(ctx.state['requestId'] ?? '');
  const wayOn = wayOnFrom(undefined, pages);
  pages.show(ctx, {
    status: why === 'expired' ? 410 : why === 'account_unusable' ? 403 : 502,
    render: (frame, i18n) =>
      why === 'expired'
        ? expiredPage({ frame, referenceId, wayOn }, i18n)
        : errorPage({ frame, kind: why, referenceId, wayOn }, i18n),
  });
}
