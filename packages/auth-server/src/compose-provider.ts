import type { RequestListener } from 'node:http';
import { authenticator } from '@cls/shared/access/authenticate';
import { REVOCATIONS_CHANNEL } from '@cls/shared/access/status-list';
import type { VerificationKeys } from '@cls/shared/access/verification-keys';
import { tokenVerifier, type VerifyToken } from '@cls/shared/access/verify-token';
import { warnOfClock } from '@cls/shared/access/warn-of-clock';
import { adminAudience } from '@cls/shared/access-token';
import type { Clock } from '@cls/shared/clock';
import { health, measureReadiness, type ReadinessCheck } from '@cls/shared/http/health';
import { type RecordAnswer, requestLog } from '@cls/shared/http/request-log';
import { responseHeaders } from '@cls/shared/http/response-headers';
import type { Metrics } from '@cls/shared/metrics/metrics';
import { keepLanguage } from '@cls/shared/pages/browser';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import { adminApi } from './admin-api/admin-api.ts';
import { ACCOUNT_GRANT } from './clients/grant-types.ts';
import type { ServiceAccountDirectory } from './clients/service-account.ts';
import { sqlCompromisedClients } from './clients/sql-compromised-clients.ts';
import { cachedServiceAccountDirectory } from './clients/sql-service-accounts.ts';
import { lostCounter } from './compose-metrics.ts';
import { type Apis, composeRooms, type RoutingDeps } from './compose-routes.ts';
import { ownKeys } from './keys/own-keys.ts';
import type { SigningKeyStore } from './keys/signing-key.ts';
import { type AnswerLeak, answerLeak } from './leaks/answer-leak.ts';
import { knownScopes, nameSessions } from './library/client-metadata.ts';
import type { ProviderSettings } from './library/configuration.ts';
import type { Provider } from './library/oidc.ts';
import { answerAtUserinfo, ignoreSameScopes } from './library/one-token.ts';
import { proveSecret, rememberProven } from './library/prove-secret.ts';
import { handOverErrors } from './library/reliances/rendered-errors.ts';
import { compareHashedSecrets } from './library/reliances/secret-comparison.ts';
import {
  adjustParameters,
  compareRedirectUris,
  readLeniently,
  showUndeliverableErrors,
} from './library/request-parameters.ts';
import { type IssueServiceToken, serviceTokens } from './library/service-token.ts';
import { rememberLaterSignIns } from './library/session-lifetime.ts';
import { providerSlot } from './library/slot.ts';
import { queueNotice } from './notices/sql-customer-notices.ts';
import { logWithoutPkce } from './oauth/authorize/around-library.ts';
import { providerPages } from './oauth/authorize/provider-pages.ts';
import {
  deliverLogoutNotifications,
  keepLogoutNotifications,
} from './oauth/logout/logout-delivery.ts';
import { endBeforeSession, recordSignOuts } from './oauth/logout/sign-out.ts';
import { ACCOUNT_GRANT_PARAMETERS, accountGrant } from './oauth/token/account-grant.ts';
import { recordRefusals } from './oauth/token/refusal-reason.ts';
import { secretReports } from './secret-scanning/reports.ts';
import { scannerKeys } from './secret-scanning/scanner-keys.ts';
import { cors } from './server/cors.ts';
import { headersOfAll, unexpectedErrors } from './server/every-request.ts';
import { router } from './server/router.ts';
import { sqlLogoutNotifications } from './sessions/sql-session-store.ts';
import { statusLists } from './token-status/status-lists.ts';
import { tokenIndices } from './token-status/token-indices.ts';
import { LANGUAGE_COOKIE } from './web/browser.ts';

export interface ProviderDeps extends RoutingDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: SigningKeyStore;
  readonly cookieKey: Secret;
  /** Of `/readyz`. */
  readonly checks: readonly ReadinessCheck[];
  readonly recordAnswer: RecordAnswer;
  readonly metrics: Metrics;
}

export interface ComposedProvider {
  /** The provider of now: another takes its place when signing keys change. */
  readonly live: {
    readonly handle: RequestListener;
    /** Issues without the chain of `handle`. */
    readonly issue: IssueServiceToken;
  };
  /** Says whether the service is about to stop, for `/readyz`. */
  servedBy(service: { readonly draining: boolean }): void;
  /** Resolves when no notice of a logout is under way any more. */
  stop(): Promise<void>;
}

export async function composeProvider(deps: ProviderDeps): Promise<ComposedProvider> {
  const { config, database, checks, log } = deps;
  const serviceAccounts = await cachedServiceAccountDirectory(database);
  const logoutNotifications = sqlLogoutNotifications(database);
  let service: { readonly draining: boolean } | undefined;
  let current: Provider | undefined;
  const live: { handle: RequestListener; issue: IssueServiceToken } = {
    handle: () => undefined,
    issue: async () => undefined,
  };
  measureReadiness(deps.metrics, checks);
  const healthy = health(checks, () => service?.draining ?? false);
  const leaks = composeLeaks(deps);
  const own = await ownKeys(deps.keys);
  const verifiers = verifiersOf(deps, own);
  const admin = composeAdminApi(deps, verifiers.admin, leaks.answerLeak);
  const { tokenStatus } = deps.accountServices;
  const indices = tokenIndices(tokenStatus);
  const lists = statusLists(config.issuer, tokenStatus, own.active, deps.clock);
  await tokenStatus.onRevocation(() => {
    indices.forget();
    const told = deps.state.announce?.(REVOCATIONS_CHANNEL);
    told?.catch((err: unknown) => log.debug({ err }, 'other services hear later of a revocation'));
  });
  const prove = proveSecret(deps.accountServices.secretHashes, deps.clock);
  const use = (provider: Provider): void => {
    compareHashedSecrets(provider, rememberProven(prove));
    keepLogoutNotifications(provider, logoutNotifications, log);
    extend(provider, deps);
    serve(provider, deps, healthy, {
      ...{ ...leaks, adminApi: admin, statusLists: lists, verifiers: Object.values(verifiers) },
    });
    current = provider;
    live.handle = provider.callback();
    live.issue = serviceTokens(provider, serviceAccounts, deps.tokenBudget, prove, config);
  };
  const onLost = lostCounter(deps.metrics, 'logoutNotices');
  const stopTelling = deliverLogoutNotifications(logoutNotifications, () => current, log, onLost);
  const settings = {
    ...providerSettings(deps, serviceAccounts),
    nextTokenIndex: indices.next,
  };
  await providerSlot(config.issuer, settings, deps.keys, use, log);
  return {
    live,
    servedBy(running) {
      service = running;
    },
    stop: stopTelling,
  };
}

function providerSettings(
  { config, accountServices, tokenBudget, state, pages, cookieKey, log }: ProviderDeps,
  serviceAccounts: ServiceAccountDirectory,
): Omit<ProviderSettings, 'nextTokenIndex'> {
  return {
    ...config,
    ...accountServices,
    ...{ cookieKey, serviceAccounts, tokenBudget, state, log },
    pages: providerPages(pages, accountServices, config.scopeBase),
  };
}

/** Our grant, and where this service wants something else than the library does by itself. */
function extend(provider: Provider, deps: ProviderDeps): void {
  const { config, accountServices, audit, log, logFault } = deps;
  provider.proxy = true; // normalizeRequests has written the headers that it trusts.
  provider.registerGrantType(ACCOUNT_GRANT, composeAccountGrant(deps), ACCOUNT_GRANT_PARAMETERS);
  adjustParameters(provider, readLeniently);
  compareRedirectUris(provider);
  nameSessions(provider);
  rememberLaterSignIns(provider);
  answerAtUserinfo(provider);
  ignoreSameScopes(provider, knownScopes(config.scopeBase));
  handOverErrors(provider);
  endBeforeSession(provider, accountServices.access);
  recordSignOuts(provider, audit);
  recordRefusals(provider);
  logWithoutPkce(provider, log);
  showUndeliverableErrors(provider);
  provider.on('server_error', (ctx, err) => logFault(err, ctx.state['requestId']));
  (provider as Koa).on('error', (err) => logFault(err, undefined));
}

/** What every request passes, in this order; everything else belongs to a room. */
function serve(provider: Provider, deps: ProviderDeps, healthy: Middleware, apis: Apis): void {
  const { config, accountServices, pages, logFault } = deps;
  const rooms = composeRooms(provider, deps, apis);
  provider.use(requestLog(deps.recordAnswer));
  provider.use(responseHeaders(headersOfAll(config.issuer)));
  provider.use(unexpectedErrors(pages, logFault));
  provider.use(keepLanguage(LANGUAGE_COOKIE, config.explorerUrl));
  const shared = cors(accountServices.applications, config.issuer);
  provider.use(router(rooms, pages, healthy, shared, config.explorerUrl));
}

function composeAccountGrant({ config, accountServices, state, clock }: ProviderDeps) {
  return accountGrant({
    ...accountServices,
    ...{ state, clock, mfaPolicy: config.mfaPolicy, resourceServer: config },
  });
}

/** Of tokens for each API, with the keys of this server. */
function verifiersOf({ config, clock, log }: ProviderDeps, own: VerificationKeys) {
  const { issuer, scopeBase, clockToleranceS } = config;
  const of = (audience: string) =>
    tokenVerifier(own, { issuer, scopeBase, clockToleranceS, audience }, clock, warnOfClock(log));
  return { balances: of(config.audience), admin: of(adminAudience(issuer)) };
}

/** What answers leaked secrets, and takes reports of them. */
function composeLeaks({ config, database, accountServices, ...deps }: ProviderDeps) {
  const { clientSecrets } = accountServices;
  const compromisedClients = sqlCompromisedClients(database, clientSecrets.add);
  const { audit, clock, log, logFault } = deps;
  const answering = answerLeak({ compromisedClients, queueNotice, audit, clock });
  const { issuer, secretScanningKeysUrl: url } = config;
  const findKey = url === undefined ? undefined : scannerKeys(url, log);
  return {
    answerLeak: answering,
    secretReports: secretReports({
      ...{ findKey, identify: clientSecrets.identify, answerLeak: answering },
      ...{ issuer, log, logFault },
    }),
  };
}

function composeAdminApi(
  deps: ProviderDeps,
  verify: VerifyToken,
  answerLeak: AnswerLeak,
): Middleware {
  const { config, clock, state, accountServices, logFault } = deps;
  const { issuer, scopeBase, clockToleranceS, mtlsBaseUrl } = config;
  return adminApi({
    ...accountServices,
    ...{ issuer, scopeBase, logFault, answerLeak },
    authenticate: authenticator({
      verify,
      usedProofs: {
        use: (key, ttlS) =>
          state.put({ kind: 'DPoPProof', key, payload: {}, ttlS }, { onlyIfAbsent: true }),
      },
      baseUrls: [issuer, ...(mtlsBaseUrl === undefined ? [] : [mtlsBaseUrl])],
      trustsCertificates: mtlsBaseUrl !== undefined,
      ...{ clock, clockToleranceS },
    }),
  });
}
