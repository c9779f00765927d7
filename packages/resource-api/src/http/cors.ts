import type { Middleware } from 'koa';

const METHODS = 'GET, HEAD';
const REQUEST_HEADERS = [
  ...['Authorization', 'DPoP', 'If-None-Match', 'X-Request-Id'],
  ...['traceparent', 'tracestate', 'baggage'], // W3C Trace Context, which browsers' tracers add.
].join(', ');
const READABLE_HEADERS = [
  ...['API-Version', 'Content-Disposition', 'Content-Location', 'Deprecation', 'ETag', 'Link'],
  ...['RateLimit', 'RateLimit-Policy', 'Retry-After', 'Sunset', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');
const MAX_AGE_S = 600;

/**
 * Lets pages of these origins read answers, errors included (Fetch Standard, CORS protocol). Tokens
 * come in a header alone, so no answer says that credentials may be sent.
 */
export function cors(origins: readonly string[]): Middleware {
  return async (ctx, next) => {
    const origin = ctx.get('origin');
    const allowed = origins.includes(origin);
    const asks = ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '';
    if (asks && allowed) {
      ctx.status = 204;
      ctx.set('Access-Control-Allow-Methods', METHODS);
      ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
      ctx.set('Access-Control-Max-Age', `${MAX_AGE_S}`);
    } else {
      await next();
    }
    ctx.vary('Origin'); // A cache must not give one origin the answer for another.
    if (!allowed) return;
    ctx.set('Access-Control-Allow-Origin', origin);
    if (!asks) ctx.set('Access-Control-Expose-Headers', READABLE_HEADERS);
  };
}
