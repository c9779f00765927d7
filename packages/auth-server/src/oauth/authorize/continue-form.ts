import type { Context, Middleware } from 'koa';
import type { KoaContextWithOIDC, Provider } from '../../library/oidc.ts';
import { callbackFormOf } from '../../library/reliances/callback-form.ts';
import { formTargetsOf } from '../../web/application.ts';
import { continuePage } from '../../web/continue.ts';
import type { Pages } from '../../web/page.ts';

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
