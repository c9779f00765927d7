import type { Middleware } from 'koa';

/** The methods of each path that this service has. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/oauth/token': ['POST'],
  '/.well-known/jwks.json': ['GET', 'HEAD'],
  '/.well-known/openid-configuration': ['GET', 'HEAD'],
  '/.well-known/oauth-authorization-server': ['GET', 'HEAD'],
};

/** 404 and 405 as JSON: an API client never gets a page. The library's other paths stay closed. */
export const surface: Middleware = async (ctx, next) => {
  const methods = METHODS[ctx.path];
  if (methods === undefined) {
    ctx.status = 404;
    ctx.body = { error: 'not_found', error_description: 'there is nothing at this path' };
    return;
  }
  if (!methods.includes(ctx.method)) {
    ctx.status = 405;
    ctx.set('Allow', methods.join(', '));
    ctx.set('Cache-Control', 'no-store');
    const error_description = `only ${methods[0]} is allowed here`;
    ctx.body = { error: 'invalid_request', error_description };
    return;
  }
  await next();
};

export const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  ctx.set('Referrer-Policy', 'no-referrer');
  await next();
};
