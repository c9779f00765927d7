import type { Caller } from '@cls/shared/access/caller';
import type { Clock } from '@cls/shared/clock';
import { Refusal } from '@cls/shared/http/refusal';
import type { RequestState } from '@cls/shared/http/request-log';
import type { Middleware } from 'koa';
import type { Resolution } from '../lifecycle/registry.ts';
import type { Release } from '../lifecycle/release.ts';
import { operationKey } from '../versions/api-version.ts';
import type { ApiVersions } from '../versions/api-versions.ts';
import { POLICY_PATH } from '../versions/releases.ts';
import type { Cacheable } from './cached-answers.ts';
import { challengeWithMetadata } from './resource-metadata.ts';

/** Of a request below `/api/{version}`. */
export interface RequestedVersion {
  readonly resolution: Resolution;
  /** Below the version. */
  readonly path: string;
  /** The path of the route that `path` is of, in any version. */
  readonly route: string | undefined;
  readonly now: Date;
}

export interface ApiState extends RequestState {
  version?: RequestedVersion;
  /** Whose token was verified. */
  caller?: Caller;
  /** Counts the answer among the long ones until it was sent. @throws {Refusal} */
  beginLongAnswer(): void;
  /** Where the answer may be sent again. */
  cacheable?: Cacheable;
}

/** Below `/api/{version}`, beside the version's own paths. */
export const DESCRIPTION_PATH = '/openapi.json';

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
    const version = { resolution, path, route, now };
    ctx.state.version = version;
    if (resolution.kind !== 'unknown') {
      const known = path === DESCRIPTION_PATH ? path : route;
      ctx.state.route = known && `/api/${resolution.release.id}${known}`;
      ctx.set(versionHeaders(versions, resolution, version));
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

/**
 * What every answer below a version says about it: `Deprecation` (RFC 9745), `Sunset` (RFC 8594)
 * and `Link` (RFC 8288). `Deprecation` is a Date of structured fields (RFC 9651 §3.3.7): whole seconds,
 * as the registry's instants are. `latest` itself does not end, so it has neither of the dates.
 */
function versionHeaders(
  versions: ApiVersions,
  resolution: Exclude<Resolution, { kind: 'unknown' }>,
  version: RequestedVersion,
): Record<string, string> {
  const { release, isLatest } = resolution;
  const { deprecatedAt, retiresAt } = isLatest ? {} : release;
  return {
    'API-Version': release.id,
    ...(deprecatedAt === undefined ? {} : { Deprecation: `@${Date.parse(deprecatedAt) / 1_000}` }),
    ...(retiresAt === undefined ? {} : { Sunset: new Date(retiresAt).toUTCString() }),
    Link: [
      ...otherVersions(versions, resolution, version),
      ...(deprecatedAt === undefined ? [] : [link(POLICY_PATH, 'deprecation', 'text/html')]),
      ...(retiresAt === undefined ? [] : [link(POLICY_PATH, 'sunset', 'text/html')]),
      link(`/api/${release.id}${DESCRIPTION_PATH}`, 'service-desc', 'application/json'),
    ].join(', '),
  };
}

/** The same resource elsewhere (RFC 5829), where it exists there. */
function otherVersions(
  { registry, served }: ApiVersions,
  { release, isLatest }: { release: Release; isLatest: boolean },
  { path, route = '', now }: RequestedVersion,
): string[] {
  const has = (other: Release | undefined): other is Release =>
    other !== undefined && served(other).routes.has(route);
  const successor = registry.successorOf(release, now);
  return [
    ...(has(successor) ? [link(`/api/${successor.id}${path}`, 'successor-version')] : []),
    ...(!isLatest && has(registry.latest(now))
      ? [link(`/api/latest${path}`, 'latest-version')]
      : []),
  ];
}

function link(target: string, relation: string, type?: string): string {
  return `<${target}>; rel="${relation}"${type === undefined ? '' : `; type="${type}"`}`;
}

/** Says a refusal as the version that was asked says it. A challenge says where tokens come from. */
export function refusalStep(deps: {
  readonly versions: ApiVersions;
  readonly audience: string;
}): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const refusal = challengeWithMetadata(error, deps);
      const { resolution, path = '', route = path } = ctx.state.version ?? {};
      if (resolution?.kind !== 'served') throw refusal;
      const operation = operationKey(ctx.method, route);
      throw deps.versions.refusalOf(resolution.release, refusal, operation, ctx.querystring);
    }
  };
}
