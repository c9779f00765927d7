import type { Caller } from '@cls/shared/access/caller';
import type { Clock } from '@cls/shared/clock';
import { Refusal } from '@cls/shared/http/refusal';
import type { RequestState } from '@cls/shared/http/request-log';
import type { Middleware } from 'koa';
import type { Resolution } from '../lifecycle/registry.ts';
import { operationKey } from '../versions/api-version.ts';
import type { ApiVersions } from '../versions/api-versions.ts';
import { DESCRIPTION_PATH, versionHeaders } from '../versions/version-headers.ts';
import type { Cacheable } from './cached-answers.ts';

export interface ApiState extends RequestState {
  /** Of a request below `/api/{version}`: `route` is the path of the route that `path` is of. */
  version?: {
    readonly resolution: Resolution;
    readonly path: string;
    readonly route: string | undefined;
    readonly now: Date;
  };
  /** Whose token was verified. */
  caller?: Caller;
  /** Counts the answer among the long ones until it was sent. @throws {Refusal} */
  beginLongAnswer(): void;
  /** Where the answer may be sent again. */
  cacheable?: Cacheable;
}

/**
 * Finds the version of a request, and says in the answer's headers which one that is and when it
 * ends: before anything that can refuse the request. The clock is read once for all of it.
 */
export function versionHeaderStep(versions: ApiVersions, clock: Clock): Middleware<ApiState> {
  return (ctx, next) => {
    if (ctx.path === '/api') ctx.state.route = ctx.path;
    if (/^\/docs(\/|$)/.test(ctx.path)) ctx.state.route = DOCS_ROUTE;
    const [, versionId, path = ''] = /^\/api\/([^/]+)(\/.*)?$/.exec(ctx.path) ?? [];
    if (versionId === undefined) return next();
    const now = clock.now();
    const resolution = versions.registry.resolve(versionId, now);
    const route = versions.routePath(path);
    ctx.state.version = { resolution, path, route, now };
    if (resolution.kind !== 'unknown') {
      const known = path === DESCRIPTION_PATH ? path : route;
      ctx.state.route = known && `/api/${resolution.release.id}${known}`;
      ctx.set(versionHeaders(versions, resolution, path, now));
    }
    return next();
  };
}

const DOCS_ROUTE = '/docs/{page}';

/** Every `route` that a request can have. */
export function routePatterns({ registry, paths }: ApiVersions): readonly string[] {
  const below = [DESCRIPTION_PATH, ...paths];
  const versioned = registry.releases.flatMap(({ id }) => below.map((path) => `/api/${id}${path}`));
  return ['/api', DOCS_ROUTE, ...versioned];
}

/** Says a refusal as the version that was asked says it. */
export function refusalStep(versions: ApiVersions): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { resolution, path = '', route = path } = ctx.state.version ?? {};
      if (!(error instanceof Refusal) || resolution?.kind !== 'served') throw error;
      const operation = operationKey(ctx.method, route);
      throw versions.refusalOf(resolution.release, error, operation, ctx.querystring);
    }
  };
}
