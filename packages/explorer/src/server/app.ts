import type { RequestListener } from 'node:http';
import { clientAddress } from '@cls/shared/http/client-address';
import { faultLog, type LogFault } from '@cls/shared/http/fault-log';
import { health, type ReadinessCheck } from '@cls/shared/http/health';
import { type RecordAnswer, type RequestState, requestLog } from '@cls/shared/http/request-log';
import { responseHeaders } from '@cls/shared/http/response-headers';
import type { Log } from '@cls/shared/log';
import type { OutageWords } from '@cls/shared/outage-log';
import { ASSETS_ROUTE, type Assets, serveAssets } from '@cls/shared/pages/assets';
import { keepLanguage } from '@cls/shared/pages/browser';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import Koa, { type Context, type Middleware } from 'koa';
import { ApiUnavailable } from '../balances/api-client.ts';
import { problemPage } from '../pages/problem-page.ts';
import { IssuerUnavailable } from '../sessions/session.ts';
import { safeReturn } from '../web/address.ts';
import type { AssetName } from '../web/assets.ts';
import { LANGUAGE_COOKIE } from '../web/browser.ts';
import { compression } from '../web/compression.ts';
import { keepDensity } from '../web/density.ts';
import type { Pages } from '../web/page.ts';
import { headersOfAll } from '../web/security.ts';

/** Answers one method and path. */
export type Handler = (ctx: Context) => Promise<void> | void;
/** By method and path: `GET /deals`; `{id}` stands for one part. */
export type Routes = Readonly<Record<string, Handler>>;

export interface AppDeps {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly trustedProxyHops: number;
  readonly routes: Routes;
  readonly assets: Assets<AssetName>;
  readonly pages: Pages;
  readonly checks: readonly ReadinessCheck[];
  /** Pass when everything that pages need answers. */
  readonly outageChecks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  readonly log: Log;
  readonly recordAnswer: RecordAnswer;
}

const RETRY_S = 2;
/** The reason in the line says which one. */
const OUTAGE: OutageWords = {
  level: 'error',
  begins: 'a service or a store that is needed does not answer',
  continues:
    'requests got no answer in the last minute: a service or a store that is needed did not answer',
  ends: 'the services and stores that are needed answer again',
};

export function createApp(deps: AppDeps): RequestListener {
  const { baseUrl, issuer, assets, pages, log } = deps;
  const app = new Koa<RequestState>({ proxy: true });
  app.use(requestLog(deps.recordAnswer));
  app.use(responseHeaders(headersOfAll(baseUrl, issuer)));
  app.use(health(deps.checks, deps.isDraining));
  app.use(compression);
  app.use(serveAssets(assets));
  app.use(unexpectedErrors(pages, faultLog(log, deps.outageChecks, OUTAGE)));
  app.use(keepLanguage(LANGUAGE_COOKIE, issuer));
  app.use(keepDensity);
  app.use(router(deps.routes, pages));
  // A download whose reader closed the connection ends in the middle.
  app.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'ECONNRESET' && err.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      log.error({ err }, 'answer failed');
    }
  });
  return asReached(deps, app.callback());
}

/**
 * Shows each request as it was sent to the base URL: Host and X-Forwarded-* are what a caller may
 * forge, and the Secure flag of cookies depends on them.
 */
function asReached({ baseUrl, trustedProxyHops }: AppDeps, handle: RequestListener) {
  const { host, protocol } = new URL(baseUrl);
  const listener: RequestListener = (request, response) => {
    const { headers } = request;
    headers['x-forwarded-for'] = clientAddress(request, trustedProxyHops);
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    headers.host = host;
    delete headers['x-forwarded-host'];
    handle(request, response);
  };
  return listener;
}

function unexpectedErrors(pages: Pages, logFault: LogFault): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const store = error instanceof DatabaseUnavailable;
      const away = error instanceof IssuerUnavailable || error instanceof ApiUnavailable;
      ctx.remove('Location');
      ctx.remove('Set-Cookie');
      logFault(
        away ? new DatabaseUnavailable(error.message, { cause: error.cause }) : error,
        ctx.state['requestId'],
      );
      if (!store && !away) {
        pages.show(ctx, 500, problemPage('internal'));
        return;
      }
      ctx.set('Retry-After', `${RETRY_S}`);
      pages.show(
        ctx,
        503,
        problemPage('unavailable', ctx.method === 'GET' ? { again: safeReturn(ctx.url) } : {}),
      );
    }
  };
}

/** HEAD is answered as GET, without the body. */
function router(routes: Routes, pages: Pages): Middleware {
  const table = Object.entries(routes).map(([name, handler]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, path, pattern: patternOf(path), handler };
  });
  return async (ctx) => {
    const found = table.filter(({ pattern }) => pattern.test(ctx.path));
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const route = found.find((one) => one.method === method);
    ctx.state['route'] = found[0]?.path;
    if (route !== undefined) {
      ctx.state['parts'] = route.pattern.exec(ctx.path)?.groups ?? {};
      await route.handler(ctx);
      return;
    }
    if (found.length > 0) ctx.set('Allow', found.map((one) => one.method).join(', '));
    pages.show(ctx, found.length > 0 ? 405 : 404, problemPage('not_found'));
  };
}

/** Every `route` that a request can have. */
export function routePatterns(routes: Routes): readonly string[] {
  return [ASSETS_ROUTE, ...Object.keys(routes).map((name) => name.split(' ')[1] ?? '')];
}

function patternOf(path: string): RegExp {
  return new RegExp(
    `^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[\\w.:-]{1,128})')}$`,
  );
}
