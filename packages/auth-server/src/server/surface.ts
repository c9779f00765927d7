import { NOTHING_HERE, writeProblem } from '@cls/shared/http/problem';
import type { RequestState } from '@cls/shared/http/request-id';
import type { Context, Middleware } from 'koa';
import { ACCOUNT_METHODS } from '../account-pages/routes.ts';
import { showErrorPage } from '../web/error-page.ts';
import { type Pages, seeOther } from '../web/page.ts';
import { ACCOUNT_PATH, isAdminPath, ROUTES } from '../web/paths.ts';
import { wayOnFrom } from '../web/way-on.ts';

/** Where a browser is led that opens what is no page: the bare host, and a form's address. */
const LEADS_TO: Readonly<Record<string, string>> = {
  '/': ACCOUNT_PATH,
  [`${ROUTES.end_session}/confirm`]: ROUTES.end_session,
};

/** The methods of each path that this service has. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/oauth/token': ['POST'],
  '/oauth/authorize': ['GET', 'POST'],
  '/oauth/par': ['POST'],
  '/oauth/userinfo': ['GET', 'POST'],
  '/oauth/revoke': ['POST'],
  '/oauth/device': ['POST'],
  '/oauth/logout': ['GET', 'POST'],
  '/oauth/logout/confirm': ['POST'],
  '/oauth/logout/success': ['GET'],
  '/device': ['GET', 'POST'],
  '/device/allowed': ['GET'],
  '/device/denied': ['GET'],
  '/password/reset': ['GET', 'POST'],
  '/password/new': ['GET', 'POST'],
  '/password/set': ['GET'],
  '/invitation': ['GET', 'POST'],
  ...ACCOUNT_METHODS,
  '/.well-known/jwks.json': ['GET'],
  '/.well-known/openid-configuration': ['GET'],
  '/.well-known/oauth-authorization-server': ['GET'],
};

/** Paths with a part that changes: interactions, their way back, and static files. */
const PATTERNS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/(oauth\/authorize|device)\/[\w-]{10,64}$/, ['GET']],
  [/^\/interaction\/[\w-]{10,64}$/, ['GET']],
  [/^\/interaction\/[\w-]{10,64}\/[a-z-]{1,30}$/, ['GET', 'POST']],
  [/^\/interaction\/[\w-]{10,64}\/enrol\/(totp|passkey|codes)$/, ['GET', 'POST']],
  [/^\/upstream\/[a-z0-9.-]{3,253}$/, ['GET']],
  [/^\/assets\/[\w.-]{1,100}$/, ['GET']],
];

function methodsOf(path: string): readonly string[] | undefined {
  const methods = METHODS[path] ?? PATTERNS.find(([pattern]) => pattern.test(path))?.[1];
  return methods?.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
}

/** HEAD is answered as GET, without the body (RFC 9110 §9.3.2). */
async function asGet(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.method = 'GET';
  try {
    await next();
  } finally {
    ctx.method = 'HEAD'; // Koa leaves the body out.
  }
}

/**
 * 404 and 405, as JSON save to a browser: an API client never gets a page, unless it prefers one. The
 * library's other paths stay closed.
 */
export function surface(pages: Pages): Middleware {
  return async (ctx, next) => {
    if (isAdminPath(ctx.path)) return next();
    const led =
      ['GET', 'HEAD'].includes(ctx.method) && prefersPage(ctx) ? LEADS_TO[ctx.path] : undefined;
    if (led !== undefined) return seeOther(ctx, `${pages.path(led)}${ctx.search}`);
    const methods = methodsOf(ctx.path);
    if (methods === undefined) {
      notFound(ctx, pages);
    } else if (methods.includes(ctx.method)) {
      await (ctx.method === 'HEAD' ? asGet(ctx, next) : next());
    } else {
      wrongMethod(ctx, pages, methods);
    }
  };
}

/** Whether a person's browser asks, rather than an API's client. */
function prefersPage(ctx: Context): boolean {
  return ctx.accepts('json', 'html') === 'html';
}

/** To a program in the shape of the whole host: the gateway and the API answer with the same. */
function notFound(ctx: Context, pages: Pages): void {
  if (prefersPage(ctx)) showRefusal(ctx, pages, 404);
  else writeProblem(ctx as Context & { state: RequestState }, NOTHING_HERE);
}

/** In the shape of the protocol whose path it is (RFC 6749 §5.2). */
function wrongMethod(ctx: Context, pages: Pages, methods: readonly string[]): void {
  ctx.set('Allow', methods.join(', '));
  ctx.set('Cache-Control', 'no-store');
  if (prefersPage(ctx)) {
    showRefusal(ctx, pages, 405);
    return;
  }
  ctx.status = 405;
  ctx.body = { error: 'invalid_request', error_description: `expected ${methods.join(' or ')}` };
}

function showRefusal(ctx: Context, pages: Pages, status: 404 | 405): void {
  const wayOn = wayOnFrom(undefined, pages);
  // A browser that opens a form's address finds no page there, so it gets the page for 404.
  const kind = status === 404 || ctx.method === 'GET' ? 'not_found' : 'wrong_method';
  showErrorPage(pages, ctx, { kind, status, wayOn });
}

export const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  ctx.set('X-Frame-Options', 'DENY'); // For browsers that read no frame-ancestors (RFC 9700 §4.16).
  ctx.set('Referrer-Policy', 'no-referrer');
  await next();
};
