import type { Caller } from '@cls/shared/access/caller';
import type { Clock } from '@cls/shared/clock';
import { Refusal } from '@cls/shared/http/refusal';
import type { RequestState } from '@cls/shared/http/request-log';
import type { Middleware } from 'koa';
import type { Resolution } from '../lifecycle/registry.ts';
import type { ApiVersions } from '../versions/api-versions.ts';
import { DESCRIPTION_PATH, versionHeaders } from '../versions/version-headers.ts';
import { requireServed } from '../versions/version-refusals.ts';
import type { Cacheable } from './cached-answers.ts';

export interface ApiState extends RequestState {
  /** Of a request below `/api/{version}`. */
  version?: { readonly resolution: Resolution; readonly path: string; readonly now: Date };
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
    ctx.state.route = unversionedRoute(ctx.path);
    const [, versionId, path = ''] = /^\/api\/([^/]+)(\/.*)?$/.exec(ctx.path) ?? [];
    if (versionId === undefined) return next();
    const now = clock.now();
    const resolution = versions.registry.resolve(versionId, now);
    ctx.state.version = { resolution, path, now };
    ctx.state.route = versionedRoute(versions, resolution, path);
    if (resolution.kind !== 'unknown') {
      ctx.set(versionHeaders(versions, resolution, path, now));
    }
    return next();
  };
}

/** Of what `routePatterns` lists; undefined for every other path. */
function unversionedRoute(path: string): string | undefined {
  if (path === '/api') return path;
  return path === '/docs' || path.startsWith('/docs/') ? DOCS_ROUTE : undefined;
}

function versionedRoute(
  versions: ApiVersions,
  resolution: Resolution,
  path: string,
): string | undefined {
  if (resolution.kind === 'unknown') return undefined;
  const route = path === DESCRIPTION_PATH ? path : versions.routePath(path);
  return route && `/api/${resolution.release.id}${route}`;
}

const DOCS_ROUTE = '/docs/{page}';

/** Every `route` that a request can have. */
export function routePatterns({ registry, paths }: ApiVersions): readonly string[] {
  const below = [DESCRIPTION_PATH, ...paths];
  const versioned = registry.releases.flatMap(({ id }) => below.map((path) => `/api/${id}${path}`));
  return ['/api', DOCS_ROUTE, ...versioned];
}

/** Refuses what is below an unknown or retired version, with a token or without. */
export function servedVersionStep(versions: ApiVersions): Middleware<ApiState> {
  return (ctx, next) => {
    const { version } = ctx.state;
    if (version !== undefined) requireServed(versions.registry, version.resolution, version.now);
    return next();
  };
}

/** Says a refusal as the version that was asked says it. */
export function refusalStep(versions: ApiVersions): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { resolution, path } = ctx.state.version ?? {};
      if (!(error instanceof Refusal) || resolution?.kind !== 'served') throw error;
      const routePath = versions.routePath(path ?? '') ?? path;
      const operation = `GET ${routePath as `/${string}`}` as const;
      throw versions.refusalOf(resolution.release, error, operation, ctx.querystring);
    }
  };
}
