import type { Context, Middleware } from 'koa';
import { digest } from '../../crypto/digest.ts';
import type { KoaContextWithOIDC, Provider } from '../../library/oidc.ts';
import { callbackFormOf } from '../../library/reliances/callback-form.ts';
import { loginBroughtBy } from '../../library/reliances/login-result.ts';
import type { AccountAccess } from '../../sessions/account-access.ts';
import { formTargetsOf } from '../../web/application.ts';
import { continuePage } from '../../web/continue.ts';
import { showExpired } from '../../web/expired-page.ts';
import type { Pages } from '../../web/page.ts';
import { type ProgressDeps, provenIn } from './progress.ts';

export interface ResumeDeps extends ProgressDeps {
  readonly access: Pick<AccountAccess, 'endSession'>;
  readonly pages: Pages;
}

/**
 * Ends the session that a sign-in has brought when the proof does not stand any more: the password
 * was changed, or the account's access ended, while the person was on the way. The check runs when
 * the session exists, so there is no gap: whatever ends access later ends this session too.
 */
export function endStaleSignIns(deps: ResumeDeps): Middleware {
  return async (ctx, next) => {
    await next();
    const oidcCtx = ctx as unknown as Partial<KoaContextWithOIDC>;
    const login = loginBroughtBy(oidcCtx);
    const session = oidcCtx.oidc?.session;
    if (session === undefined || login === undefined) return;
    // The proof is not removed but expires: a double click may send the same redirect twice.
    const proven = await provenIn(deps, login.provenIn).catch(async (error: unknown) => {
      await deps.access.endSession(digest(session.uid));
      throw error;
    });
    if (proven?.account.id === session.accountId) return;
    await deps.access.endSession(digest(session.uid));
    ctx.remove('Location');
    showExpired(deps.pages, ctx);
  };
}

/**
 * Puts our page in place of the library's when it sends a browser on with a form: signing out where
 * nobody is signed in, signing in as somebody else, `response_mode=form_post`. The library's page
 * needs an inline script, which our policy forbids, so people would see an empty page.
 */
export function continueForms(provider: Provider, pages: Pages): Middleware {
  return async (ctx, next) => {
    await next();
    const form = callbackFormOf(ctx.body);
    if (form === undefined) return;
    const formTargets = [form.action, ...(await targetsAfter(provider, ctx))];
    pages.show(ctx, {
      status: ctx.status,
      formTargets,
      again: false,
      render: (frame, i18n) => continuePage({ frame, ...form }, i18n),
    });
  };
}

/** The form may end at the application, one or two redirects later. */
async function targetsAfter(provider: Provider, ctx: Context): Promise<readonly string[]> {
  const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
  const asked = oidc?.entities.Interaction?.params['client_id'];
  const client = oidc?.client ?? (await provider.Client.find(String(asked ?? '')));
  return formTargetsOf(client);
}
