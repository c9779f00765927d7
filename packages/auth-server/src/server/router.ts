import { NOTHING_HERE, writeProblem } from '@cls/shared/http/problem';
import type { RequestState } from '@cls/shared/http/request-log';
import type { Context, Middleware } from 'koa';
import { prefersPage, showErrorPage } from '../web/error-page.ts';
import { oauthError, writeOAuthError } from '../web/oauth-error.ts';
import { type Pages, seeOther } from '../web/page.ts';
import { ACCOUNT_PATH, ROUTES, START_PATH } from '../web/paths.ts';
import type { Cors } from './cors.ts';
import { type Room, routeOf } from './route-table.ts';

/** Where a browser is led that opens what is no page: the bare host, and a form's address. */
const LEADS_TO: Readonly<Record<string, string>> = {
  [START_PATH]: ACCOUNT_PATH,
  [`${ROUTES.end_session}/confirm`]: ROUTES.end_session,
};

/** One middleware for each room of the route table; what it leaves is the library's to answer. */
export type Rooms = Readonly<Record<Room, Middleware>>;

/** HEAD is answered as GET, without the body (RFC 9110 §9.3.2). */
async function asGet(ctx: Context, answer: () => Promise<unknown>): Promise<void> {
  ctx.method = 'GET';
  try {
    await answer();
  } finally {
    ctx.method = 'HEAD'; // Koa leaves the body out.
  }
}

/**
 * Hands each request to the room that the route table names. 404 and 405 are JSON save to a browser:
 * an API client never gets a page, unless it prefers one. The library's other paths stay closed.
 *
 * @param unlisted answers paths that are in no table, because no proxy leads to them: health.
 * @param explorerUrl where a browser is led that opens the bare host, instead of the account.
 */
export function router(
  rooms: Rooms,
  pages: Pages,
  unlisted: Middleware,
  cors: Cors,
  explorerUrl: string | undefined,
): Middleware {
  return async (ctx, next) => {
    if (explorerUrl !== undefined && ctx.path === START_PATH && isRead(ctx) && prefersPage(ctx)) {
      return seeOther(ctx, `${explorerUrl}/`); // keepLanguage adds the language that was chosen.
    }
    const route = routeOf(ctx.path);
    ctx.state['route'] = route?.path;
    if (route === undefined) return unlisted(ctx, async () => leadOn(ctx, pages));
    const { methods, room, readableFrom } = route;
    const answer = () => rooms[room](ctx, next);
    if (methods === undefined) return answer();
    const allowed = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]));
    const answerAllowed = async () => {
      if (!allowed.includes(ctx.method)) {
        if (!leads(ctx, pages)) wrongMethod(ctx, pages, allowed);
      } else {
        await (ctx.method === 'HEAD' ? asGet(ctx, answer) : answer());
      }
    };
    return readableFrom === undefined ? answerAllowed() : cors(ctx, route, answerAllowed);
  };
}

function leadOn(ctx: Context, pages: Pages): void {
  if (!leads(ctx, pages)) notFound(ctx, pages);
}

function isRead({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

function leads(ctx: Context, pages: Pages): boolean {
  const to = isRead(ctx) ? LEADS_TO[ctx.path] : undefined;
  if (to === undefined || !prefersPage(ctx)) return false;
  seeOther(ctx, `${pages.path(to)}${ctx.search}`);
  return true;
}

/** To a program in the shape of the whole host: the gateway and the API answer with the same. */
function notFound(ctx: Context, pages: Pages): void {
  if (prefersPage(ctx)) showRefusal(ctx, pages, 404);
  else writeProblem(ctx as Context & { state: RequestState }, NOTHING_HERE, pages.issuer);
}

/** In the shape of the protocol whose path it is (RFC 6749 §5.2). */
function wrongMethod(ctx: Context, pages: Pages, methods: readonly string[]): void {
  ctx.set('Allow', methods.join(', '));
  if (prefersPage(ctx)) {
    ctx.set('Cache-Control', 'no-store');
    showRefusal(ctx, pages, 405);
    return;
  }
  writeOAuthError(ctx, oauthError(405, 'invalid_request', `expected ${methods.join(' or ')}`));
}

function showRefusal(ctx: Context, pages: Pages, status: 404 | 405): void {
  // A browser that opens a form's address finds no page there, so it gets the page for 404.
  const kind = status === 404 || ctx.method === 'GET' ? 'not_found' : 'wrong_method';
  showErrorPage(pages, ctx, { kind, status });
}

/** Combines middlewares into one; each wraps those after it. */
export function inOrder(...middlewares: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    const from = async (index: number): Promise<unknown> =>
      index === middlewares.length ? next() : middlewares[index]?.(ctx, () => from(index + 1));
    return from(0);
  };
}
