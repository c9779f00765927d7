import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Configuration } from 'oidc-provider';
import { prefersPage } from '../web/error-page.ts';
import { writeOAuthError } from '../web/oauth-error.ts';
import { unauthorizedClient } from './reliances/unauthorized-client.ts';

type RenderError = NonNullable<Configuration['renderError']>;

/** A browser is sent to these, so a person is shown what is wrong, whatever the request accepts. */
const FOR_BROWSERS: readonly string[] = ['authorization', 'resume'];

/**
 * Writes each error of the library, once: as a page to a browser, else as JSON (RFC 6749 §5.2).
 * Errors of the token endpoint are thrown to oauth/token/token-endpoint.ts, and a store that does
 * not answer to server/every-request.ts.
 */
export function errorRenderer(showPage: RenderError): RenderError {
  return (ctx, out, error) => {
    const { route } = ctx.oidc;
    if (route === 'token' || error instanceof DatabaseUnavailable) throw error;
    if (FOR_BROWSERS.includes(route) || prefersPage(ctx)) return showPage(ctx, out, error);
    const { error: code, error_description } = unauthorizedClient(ctx, error) ?? {};
    const body = code === undefined ? { ...out } : { error: code, error_description };
    writeOAuthError(ctx, { status: ctx.status, body, headers: {} });
  };
}
