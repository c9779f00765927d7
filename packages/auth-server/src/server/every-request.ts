/** What every request passes, whichever room answers it. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { clientAddress } from '@cls/shared/http/client-address';
import type { LogFault } from '@cls/shared/http/fault-log';
import { readMediaRanges } from '@cls/shared/http/media-ranges';
import { strictTransportHeader } from '@cls/shared/http/response-headers';
import { PAGE_HEADERS } from '@cls/shared/pages/document';
import type { ServiceEnvironment } from '@cls/shared/service/service-environment';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Context, Middleware } from 'koa';
import { prefersPage, showErrorPage } from '../web/error-page.ts';
import {
  RETRY_WHEN_UNAVAILABLE_S,
  SERVER_ERROR,
  unavailableAnswer,
  writeOAuthError,
} from '../web/oauth-error.ts';
import type { Pages } from '../web/page.ts';
import { OAUTH_METADATA_PATH } from '../web/paths.ts';

export type Proxies = Pick<ServiceEnvironment, 'trustedProxyHops' | 'mtlsBaseUrl'>;

/**
 * Shows the library each request as it was sent to the issuer. URLs in discovery and the Secure
 * flag of cookies are made from Host, X-Forwarded-* and the request's target, which a caller can
 * forge: here they are what the configuration says, of two hosts where there is one for mutual TLS, and the address is what trusted proxies say.
 *
 * @param live the provider of now: another takes its place when signing keys change.
 */
export function normalizeRequests(
  issuer: string,
  { trustedProxyHops, mtlsBaseUrl }: Proxies,
  live: { readonly handle: RequestListener },
): RequestListener {
  const { host, protocol, pathname } = new URL(issuer);
  const mtlsHost = mtlsBaseUrl && new URL(mtlsBaseUrl).host;
  const scheme = protocol.slice(0, -1);
  const basePath = pathname === '/' ? '' : pathname;
  return (request, response) => {
    const { headers } = request;
    const address = clientAddress(request, trustedProxyHops);
    headers.host = headers.host === mtlsHost ? mtlsHost : host;
    headers['x-forwarded-proto'] = scheme;
    headers['x-forwarded-for'] = address;
    delete headers['x-forwarded-host'];
    delete headers.forwarded;
    readMediaRanges(request);
    request.url = below(basePath, request.url ?? '/');
    mountAt(request, basePath);
    live.handle(request, response);
  };
}

/** Has the library put `basePath` before the paths of its own URLs, as under Express. */
export function mountAt(request: IncomingMessage, basePath: string): void {
  Object.assign(request, { baseUrl: basePath });
}

/** The target relative to the issuer's path, which a proxy in front may have taken off. */
function below(basePath: string, target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (basePath === '') return path;
  // RFC 8414 §3.1 puts the issuer's path behind the well-known one.
  if (path === `${OAUTH_METADATA_PATH}${basePath}`) return OAUTH_METADATA_PATH;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** What every answer carries; a page puts a policy of its own in place. */
export function headersOfAll(issuer: string): Readonly<Record<string, string>> {
  return {
    ...strictTransportHeader(issuer),
    ...PAGE_HEADERS,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  };
}

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
      answer(ctx, pages, err instanceof DatabaseUnavailable ? err : undefined);
    }
  };
}

function answer(ctx: Context, pages: Pages, unavailable: DatabaseUnavailable | undefined): void {
  const status = unavailable ? 503 : 500;
  if (unavailable) ctx.set('Retry-After', `${RETRY_WHEN_UNAVAILABLE_S}`);
  // The answer before the error may have set them: a redirect, and a session that nobody asked for.
  ctx.remove('Location');
  ctx.remove('Set-Cookie');
  if (prefersPage(ctx)) {
    showErrorPage(pages, ctx, { status, kind: unavailable ? 'unavailable' : 'server_error' });
    return;
  }
  writeOAuthError(ctx, unavailable ? unavailableAnswer(unavailable) : SERVER_ERROR);
}
