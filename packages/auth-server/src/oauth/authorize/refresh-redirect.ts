import type { Context } from 'koa';
import { refreshRedirectPage } from '../../web/continue.ts';
import type { Pages } from '../../web/page.ts';

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
