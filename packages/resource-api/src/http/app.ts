import { authorizationOf, bearerToken } from '@cls/shared/access/bearer';
import { requirePermission } from '@cls/shared/access/require-permission';
import type { VerifyToken } from '@cls/shared/access/verify-token';
import type { Clock } from '@cls/shared/clock';
import { faultLog } from '@cls/shared/http/fault-log';
import { health, type ReadinessCheck } from '@cls/shared/http/health';
import { NOTHING_HERE, problems } from '@cls/shared/http/problem';
import { Refusal } from '@cls/shared/http/refusal';
import { type RequestState, readableTarget, requestId } from '@cls/shared/http/request-id';
import { requestLog } from '@cls/shared/http/request-log';
import { strictTransport } from '@cls/shared/http/strict-transport';
import type { Log } from '@cls/shared/log';
import { Abandoned } from '@cls/shared/sql/database';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { askedBy } from '../access/asker.ts';
import type { CallerBudgets } from '../access/caller-budget.ts';
import { type RateLimit, rateLimitHeaders } from '../access/rate-limit.ts';
import type { ApiVersion, VersionResponse, VersionRoute } from '../versions/api-version.ts';
import type { VersionRegistry } from '../versions/registry.ts';
import { gzipped, isWorthCompressing } from './compression.ts';
import { matchesEtag } from './conditional.ts';
import { cors } from './cors.ts';

export interface AppDeps {
  readonly verifyToken: VerifyToken;
  readonly rateLimit: RateLimit | undefined;
  readonly budgets: Pick<CallerBudgets, 'begin'>;
  readonly registry: VersionRegistry;
  readonly issuer: string;
  /** Whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  readonly scopeBase: string;
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** The API over HTTP: version, token, permission, rate limit, then the version's own route. */
export function createApp(deps: AppDeps): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(readableTarget);
  app.use(requestId);
  app.use(requestLog(deps.log));
  app.use(strictTransport(deps.issuer));
  app.use(cors(deps.corsOrigins));
  app.use(securityHeaders);
  app.use(problems(faultLog(deps.log)));
  app.use(health(deps.checks, deps.isDraining));
  app.use(routes(deps));
  app.use(nothingHere(deps));
  app.on('error', (err) => {
    // An export whose client closed the connection ends in the middle.
    if (!(err instanceof Abandoned)) deps.log.error({ err }, 'answer failed');
  });
  return app;
}

function routes(deps: AppDeps): Middleware {
  const { registry } = deps;
  const router = new Router({ sensitive: true, strict: true });
  router.get('/api', (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = { object: 'list', data: registry.list() };
  });
  for (const version of registry.versions) {
    const names = version === registry.newest ? [version.id, 'latest'] : [version.id];
    for (const name of names) {
      for (const route of version.routes) {
        router.get(`/api/${name}${route.path}`, serve(deps, name, route));
      }
    }
  }
  return router.routes() as unknown as Middleware;
}

function serve(deps: AppDeps, versionId: string, route: VersionRoute): Middleware {
  const { verifyToken, rateLimit, budgets, registry, scopeBase, clock } = deps;
  return async (ctx) => {
    const version = registry.resolve(versionId, clock.now());
    ctx.set('API-Version', version.id);
    const { caller } = await verifyToken(bearerToken(authorizationOf(ctx.req.rawHeaders)));
    requirePermission(caller, route.permissions, scopeBase);
    const name = `${caller.clientId}:${caller.subject}`;
    if (rateLimit !== undefined) {
      const allowance = rateLimit.count(name);
      ctx.set(rateLimitHeaders(allowance instanceof Promise ? await allowance : allowance));
    }
    const request = {
      caller,
      query: ctx.querystring,
      path: ctx.path,
      headers: ctx.req.headers,
      accepts: (types: string[]) => ctx.accepts(types),
    };
    const signal = untilClosed(ctx, budgets.begin(name));
    const response = await askedBy({ name, signal }, () => route.handle(request));
    await write(ctx, version, route, response);
  };
}

/**
 * Ends the count of a request when its answer was sent, and aborts the work when the client closed
 * the connection before.
 */
function untilClosed({ res }: Context, end: () => void): AbortSignal {
  const client = new AbortController();
  const closed = () => {
    end();
    if (!res.writableFinished) client.abort();
  };
  if (res.destroyed) closed();
  else res.once('close', closed);
  return client.signal;
}

async function write(
  ctx: Context,
  version: ApiVersion,
  route: VersionRoute,
  { status, headers, body, etag }: VersionResponse,
): Promise<void> {
  const zip = isWorthCompressing(body) && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  // Without a validator there is nothing to ask again with.
  ctx.set('Cache-Control', etag === undefined ? 'no-store' : 'private, no-cache');
  ctx.set('Vary', 'Authorization, Accept, Accept-Encoding');
  if (ctx.path.startsWith('/api/latest/')) {
    const query = ctx.querystring === '' ? '' : `?${ctx.querystring}`;
    ctx.set('Content-Location', `/api/${version.id}${route.path}${query}`);
  }
  if (etag !== undefined) {
    // A strong validator tells one representation from another (RFC 9110 §8.8.3.3).
    ctx.set('ETag', zip ? etag.replace(/"$/, '-gzip"') : etag);
    const condition = ctx.req.headers['if-none-match'];
    const asPlain = condition?.replaceAll('-gzip"', '"');
    if (asPlain !== undefined && matchesEtag(asPlain, etag)) {
      ctx.status = 304;
      return;
    }
  }
  ctx.status = status;
  ctx.set({ ...headers });
  if (zip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = zip ? await gzipped(body) : body;
}

/** Answers what no route took: another method, an unknown version, or an unknown path. */
function nothingHere({ registry, clock }: AppDeps): Middleware {
  return (ctx) => {
    const [, versionId, rest] = /^\/api\/([^/]+)(\/.*)?$/.exec(ctx.path) ?? [];
    const version = versionId === undefined ? undefined : registry.resolve(versionId, clock.now());
    if (version !== undefined) ctx.set('API-Version', version.id);
    const isRoute = version?.routes.some(({ path }) => path === rest) ?? false;
    if (ctx.path === '/api' || isRoute) throw methodNotAllowed();
    throw new Refusal(NOTHING_HERE);
  };
}

function methodNotAllowed(): Refusal {
  return new Refusal({
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: 'Only GET and HEAD are allowed here.',
    headers: { Allow: 'GET, HEAD' },
  });
}

const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  ctx.set('Referrer-Policy', 'no-referrer');
  await next();
};
