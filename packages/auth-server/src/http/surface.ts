import type { Middleware } from 'koa';
import { ACCOUNT_METHODS } from '../account-pages/routes.ts';

/** The methods of each path that this service has. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/oauth/token': ['POST'],
  '/oauth/authorize': ['GET'],
  '/oauth/par': ['POST'],
  '/oauth/userinfo': ['GET', 'POST'],
  '/oauth/revoke': ['POST'],
  '/oauth/device': ['POST'],
  '/oauth/logout': ['GET', 'POST'],
  '/oauth/logout/confirm': ['POST'],
  '/oauth/logout/success': ['GET'],
  '/device': ['GET', 'POST'],
  '/password/reset': ['GET', 'POST'],
  '/password/new': ['GET', 'POST'],
  '/invitation': ['GET', 'POST'],
  ...ACCOUNT_METHODS,
  '/.well-known/jwks.json': ['GET', 'HEAD'],
  '/.well-known/openid-configuration': ['GET', 'HEAD'],
  '/.well-known/oauth-authorization-server': ['GET', 'HEAD'],
};

/** Paths with a part that changes: interactions, their way back, and static files. */
const PATTERNS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/(oauth\/authorize|device)\/[\w-]{10,64}$/, ['GET']],
  [/^\/interaction\/[\w-]{10,64}(\/other-account)?$/, ['GET']],
  [/^\/interaction\/[\w-]{10,64}\/organisation$/, ['GET', 'POST']],
  [/^\/interaction\/[\w-]{10,64}\/[a-z-]{1,30}$/, ['POST']],
  [/^\/interaction\/[\w-]{10,64}\/enrol\/(totp|passkey|codes)$/, ['GET', 'POST']],
  [/^\/upstream\/[a-z0-9.-]{3,253}$/, ['GET']],
  [/^\/assets\/[\w.-]{1,100}$/, ['GET', 'HEAD']],
];

function methodsOf(path: string): readonly string[] | undefined {
  return METHODS[path] ?? PATTERNS.find(([pattern]) => pattern.test(path))?.[1];
}

/** The administrators' API answers on all of these itself, 404 and 405 as its problem documents. */
export function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/');
}

/** 404 and 405 as JSON: an API client never gets a page. The library's other paths stay closed. */
export const surface: Middleware = async (ctx, next) => {
  if (isAdminPath(ctx.path)) return next();
  const methods = methodsOf(ctx.path);
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
  ctx.set('X-Frame-Options', 'DENY'); // For browsers that read no frame-ancestors (RFC 9700 §4.16).
  ctx.set('Referrer-Policy', 'no-referrer');
  await next();
};
