import type { LogFault } from '@cls/shared/http/fault-log';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Context, Middleware } from 'koa';
import { prefersPage, showErrorPage } from '../web/error-page.ts';
import { nextLinkFrom } from '../web/next-link.ts';
import {
  RETRY_WHEN_UNAVAILABLE_S,
  SERVER_ERROR,
  UNAVAILABLE,
  writeOAuthError,
} from '../web/oauth-error.ts';
import type { Pages } from '../web/page.ts';

/**
 * Answers an error that nothing else has answered: with a page for a browser, with JSON for a
 * program; with 503 where a store does not answer, else with 500. The cause goes to the log alone.
 */
export function unexpectedErrors(pages: Pages, logFault: LogFault): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (err) {
      if (ctx.req.readableAborted) return; // The caller broke off in the middle of the body.
      logFault(err, ctx.state['requestId']);
      answer(ctx, pages, err instanceof DatabaseUnavailable);
    }
  };
}

function answer(ctx: Context, pages: Pages, unavailable: boolean): void {
  const status = unavailable ? 503 : 500;
  if (unavailable) ctx.set('Retry-After', `${RETRY_WHEN_UNAVAILABLE_S}`);
  // The answer before the error may have set them: a redirect, and a session that nobody asked for.
  ctx.remove('Location');
  ctx.remove('Set-Cookie');
  if (prefersPage(ctx)) {
    const nextLink = nextLinkFrom(undefined, pages);
    showErrorPage(pages, ctx, {
      status,
      kind: unavailable ? 'unavailable' : 'server_error',
      nextLink,
    });
    return;
  }
  writeOAuthError(ctx, unavailable ? UNAVAILABLE : SERVER_ERROR);
}
