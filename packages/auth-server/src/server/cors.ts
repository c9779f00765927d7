import type { Context } from 'koa';
import type { ApplicationDirectory } from '../clients/application.ts';
import { allowsOrigin } from '../library/allowed-origin.ts';
import type { Route } from './route-table.ts';

const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'DPoP', 'If-None-Match', 'X-Request-Id'],
  ...['traceparent', 'tracestate', 'baggage'], // W3C Trace Context, which browsers' tracers add.
].join(', ');
const READABLE_HEADERS = 'Retry-After, WWW-Authenticate, X-Request-Id';
const MAX_AGE_S = 600;

/** Around a route whose answers pages of other origins may read. */
export type Cors = (ctx: Context, route: Route, next: () => Promise<void>) => Promise<void>;

/**
 * Lets pages of another origin read answers to the one application that allows that origin (Fetch
 * Standard, CORS protocol). A preflight names no application: it is answered for an origin that some
 * application allows. Cookies never count, so no answer says that credentials may be sent.
 */
export function cors(applications: ApplicationDirectory, issuer: string): Cors {
  const own = new URL(issuer).origin;
  return async (ctx, route, next) => {
    const asks = ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '';
    if (route.readableFrom === 'any') return asks ? answerPreflight(ctx, route, '*') : await next();
    const origin = ctx.get('origin');
    if (asks && origin !== '' && (await applications.isAllowedOrigin(origin))) {
      return answerPreflight(ctx, route, origin);
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

function answerPreflight(ctx: Context, { methods }: Route, origin: string): void {
  ctx.status = 204;
  if (origin !== '*') ctx.vary('Origin');
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Allow-Methods', methods?.join(', ') ?? '');
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
