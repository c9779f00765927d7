import type { IncomingMessage, RequestListener } from 'node:http';
import type { Authenticate } from '@cls/shared/access/authenticate';
import type { Caller } from '@cls/shared/access/caller';
import { requirePermission } from '@cls/shared/access/require-permission';
import { clientAddress } from '@cls/shared/http/client-address';
import { faultLog } from '@cls/shared/http/fault-log';
import { health, type ReadinessCheck } from '@cls/shared/http/health';
import { endWithAnswer } from '@cls/shared/http/long-answers';
import { readMediaRanges } from '@cls/shared/http/media-ranges';
import { NOTHING_HERE, problems } from '@cls/shared/http/problem';
import { Refusal } from '@cls/shared/http/refusal';
import { requestLog } from '@cls/shared/http/request-log';
import { responseHeaders, strictTransportHeader } from '@cls/shared/http/response-headers';
import type { Log } from '@cls/shared/log';
import { Abandoned } from '@cls/shared/sql/database';
import Koa, { type Middleware, type ParameterizedContext } from 'koa';
import { askedByRequest } from '../access/asker.ts';
import { callerName, readerOf } from '../access/caller-budget.ts';
import { rateLimitHeaders } from '../access/rate-limit.ts';
import { recordedExamples } from '../documentation/content.ts';
import type { Resolution } from '../lifecycle/registry.ts';
import type { OperationKey, Release } from '../lifecycle/release.ts';
import type { Cache, Page } from '../memory/memories.ts';
import type { VersionUse } from '../usage/usage-counter.ts';
import {
  operationKey,
  type ReadByAnswer,
  type VersionRoute,
  type WriteMethod,
} from '../versions/api-version.ts';
import type { ServedVersion } from '../versions/api-versions.ts';
import { descriptions } from '../versions/description.ts';
import { notServed } from '../versions/version-refusals.ts';
import { type CachedAnswersDeps, cachedAnswers } from './cached-answers.ts';
import { cors } from './cors.ts';
import { documentation } from './documentation.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { recordRead } from './record-read.ts';
import { resourceMetadata } from './resource-metadata.ts';
import {
  type ApiState,
  DESCRIPTION_PATH,
  type RequestedVersion,
  refusalStep,
  versionHeaderStep,
} from './version-step.ts';
import { writeAnswer, writeBody } from './write-answer.ts';

export interface AppDeps extends CachedAnswersDeps {
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly issuer: string;
  readonly audience: string;
  readonly mtlsBaseUrl: string | undefined;
  /** Whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  readonly scopeBase: string;
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  /** Longest time for an answer. */
  readonly answerTimeoutMs: number;
  /** Questions that wait for the database. */
  readonly queue: {
    /** Whether a further question puts another out. @param ahead further ones that will come before it. */
    isFull(ahead: number): boolean;
    /** Whether a first question of the caller's next request would be refused at once. */
    refuses(name: string, ahead: number): boolean;
  };
}

interface App {
  readonly handle: RequestListener;
  /**
   * Whether a request would be refused once it asks the database, as far as this is known ahead of
   * the steps of `handle`. @param ahead requests that come before it
   */
  readonly findsFullQueue: (request: IncomingMessage, ahead: number) => boolean;
}

/** The API over HTTP: version, token, permission, rate limit, then the version's own route. */
export function createApp(deps: AppDeps): App {
  const app = new Koa<ApiState>();
  const cached = cachedAnswers(deps);
  const pages = deps.memories.open<string, Page>('documentation');
  app.use(cached.add);
  app.use(requestLog(deps.recordAnswer));
  app.use(responseHeaders({ ...strictTransportHeader(deps.issuer), ...SECURITY_HEADERS }));
  app.use(versionHeaderStep(deps.versions, deps.clock));
  if (deps.corsOrigins.length > 0) app.use(cors(deps.corsOrigins));
  app.use(problems(faultLog(deps.log, deps.checks), deps.issuer));
  app.use(refusalStep(deps));
  app.use(countLongAnswers(deps));
  app.use(answers(deps, pages));
  app.use(resourceMetadata(deps));
  app.use(health(deps.checks, deps.isDraining));
  app.use(documentation({ ...deps, pages }));
  app.use(() => {
    throw new Refusal(NOTHING_HERE);
  });
  app.on('error', (err) => {
    // An export whose client closed the connection ends in the middle.
    if (!(err instanceof Abandoned)) deps.log.error({ err }, 'answer failed');
  });
  const koa = app.callback();
  return {
    handle(request, response) {
      readMediaRanges(request);
      cached.answer(request, response, koa);
    },
    findsFullQueue(request, ahead) {
      if (!deps.queue.isFull(ahead)) return false;
      const asker = cached.askerOf(request);
      return asker !== undefined && deps.queue.refuses(asker, ahead);
    },
  };
}

/** A slow reader holds a place for as long as it likes: long answers have few of the places. */
function countLongAnswers({ longAnswers }: AppDeps): Middleware<ApiState> {
  return (ctx, next) => {
    ctx.state.beginLongAnswer = () => {
      endWithAnswer(ctx.res, longAnswers.begin(readerOf(ctx.state.caller)));
    };
    return next();
  };
}

type ApiContext = ParameterizedContext<ApiState>;

/** The table of versions, a version's contract, or what one of its routes answers. */
function answers(deps: AppDeps, pages: Cache<string, Page>): Middleware<ApiState> {
  const { versions, clock } = deps;
  const describe = descriptions(versions, deps.scopeBase, pages, recordedExamples);
  return async (ctx, next) => {
    const { version } = ctx.state;
    if (ctx.path === '/api') {
      checkMethod(ctx);
      ctx.set('Cache-Control', 'public, max-age=300');
      ctx.body = { object: 'list', data: versions.registry.table(clock.now()) };
      return;
    }
    if (version === undefined) return next();
    const { resolution, path, route: pattern = '', now } = version;
    if (resolution.kind !== 'served')
      throw await refusalOfVersion(deps, ctx, { ...version, resolution });
    const { release, isLatest } = resolution;
    if (path === DESCRIPTION_PATH) {
      checkMethod(ctx);
      const { type, body } = describe(release, now);
      if (isLatest) ctx.set('Content-Location', `/api/${release.id}${DESCRIPTION_PATH}`);
      ctx.set('Cache-Control', 'public, max-age=300');
      ctx.set('Vary', 'Accept-Encoding');
      return writeBody(ctx, 200, { 'Content-Type': type }, body);
    }
    const { routes, context } = versions.served(release);
    const route = routes.get(pattern);
    if (route === undefined) throw new Refusal(NOTHING_HERE);
    checkMethod(ctx, Object.keys(route.writes ?? {}));
    return serve(deps, ctx, { release, isLatest, route, context });
  };
}

function checkMethod({ method }: ApiContext, writes: readonly string[] = []): void {
  if (!['GET', 'HEAD', ...writes].includes(method)) throw methodNotAllowed(writes);
}

interface RequestedRoute extends Pick<ServedVersion, 'context'> {
  readonly release: Release;
  readonly isLatest: boolean;
  readonly route: VersionRoute;
}

async function serve(
  deps: AppDeps,
  ctx: ApiContext,
  { release, isLatest, route, context }: RequestedRoute,
): Promise<void> {
  const { rateLimit, budgets, scopeBase } = deps;
  const { caller } = await deps.authenticate(ctx.req);
  const { clientId, subject, customer } = caller;
  const address = clientAddress(ctx.req, deps.trustedProxyHops);
  Object.assign(ctx.state, { caller, clientId, subject, customer, address });
  const use = useOf(caller, release, isLatest, operationKey(ctx.method, route.path));
  deps.usage.count(use);
  requirePermission(caller, route.permissions, scopeBase);
  const name = callerName(caller);
  if (rateLimit !== undefined) {
    const allowance = rateLimit.count(name);
    ctx.set(rateLimitHeaders(allowance instanceof Promise ? await allowance : allowance));
  }
  deps.readLog.admit();
  let read: ReadByAnswer | undefined;
  const { path, querystring: query } = ctx;
  const { requestId } = ctx.state;
  const { served: version, operation } = use;
  const at = deps.clock.now();
  const asked = { at, requestId, caller, address, version, operation, path, query };
  const request = {
    ...{ ...context, caller, query, path },
    headers: ctx.req.headers,
    accepts: (types: string[]) => ctx.accepts(types),
  };
  if (route.isExport?.(request)) ctx.state.beginLongAnswer();
  const endRequest = budgets.begin(name);
  const end = () => {
    endRequest();
    recordRead(deps.readLog, ctx.res, asked, read);
  };
  const work = { name, end, answerMs: deps.answerTimeoutMs };
  const write = route.writes?.[ctx.method as WriteMethod];
  const response = await askedByRequest(ctx.res, work, async () =>
    write === undefined ? route.handle(request) : write({ ...request, body: bodyOf(ctx.req) }),
  );
  await writeAnswer(ctx, response);
  read = response.read;
  const { edition } = response;
  if (edition !== undefined) ctx.state.cacheable = { caller, edition, use, read };
}

/** @throws {Abandoned} when the connection ends before the body does */
async function* bodyOf(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Destroyed by who leaves it early, it would take the answer with it.
    yield* req.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new Abandoned({ cause });
  }
}

interface UnservedVersion extends RequestedVersion {
  readonly resolution: Exclude<Resolution, { kind: 'served' }>;
}

/**
 * Why nothing answers below an unknown or retired version, with a token or without. Who still calls a
 * version that has ended is counted, so that a notice reaches them.
 */
async function refusalOfVersion(
  { authenticate, usage, versions }: AppDeps,
  { req, method }: ApiContext,
  { resolution, route, now }: UnservedVersion,
): Promise<Refusal> {
  if (resolution.kind !== 'unknown' && route !== undefined) {
    const operation = operationKey(method, route);
    await authenticate(req).then(
      ({ caller }) => usage.count(useOf(caller, resolution.release, false, operation)),
      // Without a token that is valid it is nobody's use.
      () => undefined,
    );
  }
  return notServed(versions.registry, resolution, now);
}

function useOf(
  { customer, clientId, subject }: Caller,
  { id }: Release,
  isLatest: boolean,
  operation: OperationKey,
): VersionUse {
  return {
    ...{ customer, clientId, subject },
    requested: isLatest ? 'latest' : id,
    served: id,
    operation,
  };
}

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
