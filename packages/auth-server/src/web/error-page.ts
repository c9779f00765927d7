import { type ChooseOverloadPage, REQUEST_ID_MARK } from '@cls/shared/http/early-answers';
import { requestLanguage } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { LANGUAGE_COOKIE } from './browser.ts';
import { type ErrorModel, errorPage } from './error.ts';
import type { NextLink } from './layout.ts';
import { nextLinkFrom } from './next-link.ts';
import { contentSecurityPolicy, type Pages } from './page.ts';

export interface ShownError extends Omit<ErrorModel, 'frame' | 'referenceId' | 'nextLink'> {
  readonly status: number;
  /** To the account pages where there is none. */
  readonly nextLink?: NextLink;
}

/**
 * Whether an error is shown as a page: to a person's browser, rather than an API's client. Asked of
 * the request, because the context's own `accepts` answers the library alone: see
 * library/reliances/rendered-errors.ts.
 */
export function prefersPage({ request }: Context): boolean {
  return request.accepts('json', 'html') === 'html';
}

/** Shows an error page with the request's id as the reference for support. */
export function showErrorPage(
  pages: Pages,
  ctx: Context,
  { status, nextLink = nextLinkFrom(undefined, pages), ...error }: ShownError,
): void {
  const referenceId = String(ctx.state['requestId'] ?? '');
  ctx.state['refused'] ??= kindOf(error);
  if (error.waitS !== undefined) ctx.set('Retry-After', `${error.waitS}`);
  pages.show(ctx, {
    status,
    ...(ctx.method === 'GET' ? {} : { again: false }),
    render: (frame, i18n) => errorPage({ frame, referenceId, nextLink, ...error }, i18n),
  });
}

/** For a browser that is refused because too many requests are under way. @param headers of all answers. */
export function overloadPages(
  pages: Pages,
  headers: Readonly<Record<string, string>>,
): ChooseOverloadPage {
  const nextLink = nextLinkFrom(undefined, pages);
  const secure = pages.issuer.startsWith('https:');
  const error = { kind: 'busy', referenceId: REQUEST_ID_MARK, nextLink } as const;
  const rendered = pages.renderAll((frame, i18n) => errorPage({ frame, ...error }, i18n));
  const ofPages = { ...headers, 'Content-Security-Policy': contentSecurityPolicy() };
  return (request) => {
    const locale = requestLanguage(request, secure, LANGUAGE_COOKIE);
    return { headers: { ...ofPages, 'Content-Language': locale }, markup: rendered[locale] };
  };
}

/**
 * The reason in the request's log line: for a protocol's error its code and description, so that
 * the reference leads to them.
 */
function kindOf({ kind, technical }: Pick<ShownError, 'kind' | 'technical'>): string {
  if (technical === undefined) return kind;
  const { error, description } = technical;
  return description === undefined ? error : `${error}: ${description}`;
}
