import type { Context, Middleware } from 'koa';
import type { ApplicationDirectory } from '../clients/application.ts';
import { allowsOrigin } from '../library/allowed-origin.ts';
import { ROUTES } from '../web/paths.ts';
import { routeOf } from './route-table.ts';

/** What an application in a browser asks for itself. */
const SHARED: readonly string[] = [
  ROUTES.token,
  ROUTES.userinfo,
  ROUTES.revocation,
  ROUTES.pushed_authorization_request,
];
const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id'],
  ...['traceparent', 'tracestate', 'baggage'], // W3C Trace Context, which browsers' tracers add.
].join(', ');
const READABLE_HEADERS = 'Retry-After, WWW-Authenticate, X-Request-Id';
const MAX_AGE_S = 600;

/**
 * Lets pages of another origin read answers to the one application that allows that origin (Fetch
 * Standard, CORS protocol). A preflight names no application: it is answered for an origin that some
 * application allows. Cookies never count, so no answer says that credentials may be sent.
 */
export function cors(applications: ApplicationDirectory, issuer: string): Middleware {
  const own = new URL(issuer).origin;
  return async (ctx, next) => {
    const asks = ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '';
    // Discovery and the key set are for every page: see oauth/discovery/metadata.ts.
    if (asks && routeOf(ctx.path)?.room === 'discovery') return answerPreflight(ctx, '*');
    if (!SHARED.includes(ctx.path)) return next();
    const origin = ctx.get('origin');
    if (asks && origin !== '' && (await applications.isAllowedOrigin(origin))) {
      answerPreflight(ctx, origin);
      return;
    }
    try {
      await next();
    } finally {
      const allowed = origin !== '' && (origin === own || allowsOrigin(ctx.oidc?.client, origin));
      if (origin !== '') ctx.vary('Origin');
      present(ctx, allowed ? origin : undefined);
    }
  };
}

function answerPreflight(ctx: Context, origin: string): void {
  ctx.status = 204;
  if (origin !== '*') ctx.vary('Origin');
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Allow-Methods', routeOf(ctx.path)?.methods?.join(', ') ?? '');
  ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
  ctx.set('Access-Control-Max-Age', `${MAX_AGE_S}`);
}

/** The library would tell any origin that it may read an answer. */
function present(ctx: Context, origin: string | undefined): void {
  ctx.remove('Access-Control-Allow-Origin');
  ctx.remove('Access-Control-Expose-Headers');
  if (origin === undefined) return;
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Expose-Headers', READABLE_HEADERS);
}
