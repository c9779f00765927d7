import { INTEGRATIONS_PERMISSION, READ_PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import { systemClock } from '@cls/shared/clock';
import { developmentSecret } from '@cls/shared/development-secret';
import { measureReadiness, type ReadinessCheck } from '@cls/shared/http/health';
import { startHttpService } from '@cls/shared/http/http-service';
import { longAnswers } from '@cls/shared/http/long-answers';
import { answerRecorder } from '@cls/shared/http/request-log';
import type { Log } from '@cls/shared/log';
import { type Observation, observation } from '@cls/shared/service/observation';
import { openMetrics, type ServedMetrics } from '@cls/shared/service/open-metrics';
import { warnOfPlaintext } from '@cls/shared/service/plaintext-connections';
import type { RunningService } from '@cls/shared/service/run-service';
import type { Tracing } from '@cls/shared/tracing/tracing';
import type { Context } from 'koa';
import { apiClient } from './balances/api-client.ts';
import type { ExplorerConfig } from './config.ts';
import { sealer } from './crypto/seal.ts';
import { logoutTokens } from './issuer/logout-token.ts';
import { openIdIssuer } from './issuer/openid-client.ts';
import { overloadPages } from './pages/overload-page.ts';
import { balanceRoutes } from './pages/routes.ts';
import { createApp, type Routes, routePatterns } from './server/app.ts';
import { outageChecks } from './server/outage-checks.ts';
import { keepSessions } from './sessions/keep-sessions.ts';
import { openSessionStore } from './sessions/open-session-store.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { redirectToSignIn, signInRoutes } from './sign-in/routes.ts';
import { readAssets } from './web/assets.ts';
import { pages } from './web/page.ts';

/** How long requests under way may take to end when the service stops. */
const DRAIN_TIMEOUT_MS = 10_000;
const MANIFEST = new URL('../../package.json', import.meta.url);

export interface Explorer extends RunningService {
  readonly port: number;
  readonly metricsPort: number | undefined;
}

/** @throws {ConfigurationError | DatabaseUnavailable | DirectoryInUse | PortUnavailable | …} */
export async function startExplorer(
  config: ExplorerConfig,
  log: Log,
  tracing?: Tracing,
): Promise<Explorer> {
  warnOfPlaintext(config, log);
  const metrics = await openMetrics(config.metrics, 'explorer', MANIFEST, log);
  let store: SessionStore | undefined;
  try {
    const observed = observation(metrics, tracing);
    store = await openSessionStore(config, log, observed);
    return await compose(config, store, metrics, observed, log);
  } catch (error) {
    await store?.close();
    await metrics.stop();
    throw error;
  }
}

/** The only place where parts meet. */
async function compose(
  config: ExplorerConfig,
  store: SessionStore,
  metrics: ServedMetrics,
  observed: Observation,
  log: Log,
): Promise<Explorer> {
  const { issuer: issuerUrl, baseUrl, clientId, clientSecret, scopeBase } = config;
  const clock = systemClock;
  const seal = sealer(
    config.sessionKey ?? developmentSecret(config.dataDir, 'session-key'),
    config.previousSessionKey,
  );
  const scopes = READ_PERMISSIONS.map((permission) => scopeOf(scopeBase, permission));
  const issuer = openIdIssuer(
    {
      ...{ issuer: issuerUrl, clientId, clientSecret, baseUrl },
      scope: ['openid', 'email', 'profile', ...scopes].join(' '),
      administratorScope: scopeOf(scopeBase, INTEGRATIONS_PERMISSION),
      timeoutS: config.upstreamTimeoutS,
    },
    clock,
  );
  const assets = readAssets();
  const shown = pages(assets, config.supportUrl);
  const sessions = keepSessions({
    ...{ store, sealer: seal, clock },
    renew: (refreshToken) => issuer.renew(refreshToken),
  });
  const signInDeps = {
    ...{ issuer, store, sealer: seal, sessions, pages: shown, baseUrl, clock, log },
    validateLogoutToken: logoutTokens({ ...config, issuer: issuerUrl }, issuer),
  };
  const balanceDeps = {
    ...{ sessions, pages: shown, clock, sealer: seal, issuer: issuerUrl },
    api: apiClient(config.apiUrl, config.upstreamTimeoutS),
    longAnswers: longAnswers(config.longAnswers, metrics),
    signIn: (ctx: Context, returnTo: string, silent: boolean, administers = false) =>
      redirectToSignIn(signInDeps, ctx, returnTo, silent, administers),
  };
  const checks: readonly ReadinessCheck[] = [
    { name: 'sessions', check: () => store.ready() },
    { name: 'issuer', check: async () => void (await issuer.jwksUrl()) },
  ];
  measureReadiness(metrics, checks);
  const routes: Routes = {
    'GET /': (ctx) => ctx.redirect(`/portfolio${ctx.search}`),
    ...signInRoutes(signInDeps),
    ...balanceRoutes(balanceDeps),
  };
  const recordAnswer = answerRecorder(log, metrics, routePatterns(routes), {
    traced: observed.tracing === undefined ? [] : [observed.tracing.answered],
  });
  const { host, port, drainDelayMs, trustedProxyHops, limits, healthPort } = config;
  const running = await startHttpService(
    {
      ...{ host, port, drainDelayMs, trustedProxyHops, limits, healthPort, metrics, log },
      ...{ drainTimeoutMs: DRAIN_TIMEOUT_MS, baseUrl: issuerUrl },
      overloadPage: overloadPages(shown, baseUrl, issuerUrl),
    },
    (service) =>
      observed.requests(
        createApp({
          ...{ baseUrl, issuer: issuerUrl, trustedProxyHops, assets, pages: shown, checks, log },
          isDraining: () => service.draining,
          outageChecks: outageChecks({
            ...{ issuer: issuerUrl, apiUrl: config.apiUrl },
            sessionsReady: () => store.ready(),
          }),
          ...{ routes, recordAnswer },
        }),
      ),
  );
  log.info({ port: running.port, baseUrl }, 'the explorer is listening');
  return {
    log,
    port: running.port,
    metricsPort: metrics.port,
    async stop() {
      await running.stop();
      await store.close();
      await metrics.stop();
      await observed.tracing?.stop();
    },
  };
}
