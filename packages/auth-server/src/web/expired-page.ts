import { html } from '@cls/shared/http/html';
import type { Context } from 'koa';
import type { I18n } from './i18n.ts';
import { cardPage, contactLine, type NextLink, nextLinkHtml, type PageModel } from './layout.ts';
import { nextLinkFrom } from './next-link.ts';
import type { Pages } from './page.ts';

/** A sign-in left open too long, finished in another tab, or reached by the back button. */
export interface ExpiredModel extends PageModel {
  /** Where the person starts again: the application's start page, or the account pages. */
  readonly nextLink: NextLink;
  readonly referenceId: string;
  /** The browser sent no cookie at all, so it may be blocking them. */
  readonly withoutCookies: boolean;
}

export function expiredPage(model: ExpiredModel, i18n: I18n): string {
  const body = html`<p class="lead">${i18n.t('expired.text')}</p>
<p>${i18n.t('expired.next')}</p>
${model.withoutCookies && html`<p>${i18n.t('expired.cookies')}</p>\n`}${nextLinkHtml(model.nextLink, i18n)}
${contactLine(model.frame, i18n)}
<p class="reference">${i18n.t('page.reference')} <code>${model.referenceId}</code></p>`;
  return cardPage(model, { title: i18n.t('expired.title'), body }, i18n);
}

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
