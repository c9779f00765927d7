import type { Context } from 'koa';
import { expiredPage } from './expired.ts';
import { nextLinkFrom } from './next-link.ts';
import type { Pages } from './page.ts';

/** The person may have signed in in another tab, or gone back to a form that was already sent. */
export function showExpired(pages: Pages, ctx: Context): void {
  const referenceId = String(ctx.state['requestId'] ?? '');
  const nextLink = nextLinkFrom(undefined, pages);
  const withoutCookies = ctx.get('Cookie') === '';
  pages.show(ctx, {
    status: 410,
    render: (frame, i18n) => expiredPage({ frame, referenceId, nextLink, withoutCookies }, i18n),
  });
}
