import type { RequestListener } from 'node:http';
import { tokenVerifier } from '@cls/shared/access/verify-token';
import { warnOfClock } from '@cls/shared/access/warn-of-clock';
import { adminAudience } from '@cls/shared/access-token';
import { type Clock, systemClock } from '@cls/shared/clock';
import { developmentSecret } from '@cls/shared/development-secret';
import { ConfigurationError } from '@cls/shared/environment';
import { faultLog } from '@cls/shared/http/fault-log';
import { health } from '@cls/shared/http/health';
import { type HttpService, startHttpService } from '@cls/shared/http/http-service';
import { readableTarget, requestId } from '@cls/shared/http/request-id';
import { requestLog } from '@cls/shared/http/request-log';
import { strictTransport } from '@cls/shared/http/strict-transport';
import type { Log } from '@cls/shared/log';
import { openDatabase } from '@cls/shared/service/open-database';
import { warnOfOwnerRole } from '@cls/shared/service/owner-role';
import { warnOfPlaintext } from '@cls/shared/service/plaintext-connections';
import type { RunningService } from '@cls/shared/service/run-service';
import type { Database } from '@cls/shared/sql/database';
import { readSchema } from '@cls/shared/sql/migrate';
import type Koa from 'koa';
import { passwordRoutes } from './account-pages/password-routes.ts';
import { accountRoutes } from './account-pages/routes.ts';
import { visitorOf } from './account-pages/visitor.ts';
import { argon2Verifier } from './accounts/password.ts';
import { adminApi } from './admin-api/admin-api.ts';
import { sqlAuditLog, sweepAudit } from './audit/sql-audit-log.ts';
import { sqlAuditReader } from './audit/sql-audit-reader.ts';
import { sqlApplications } from './clients/sql-applications.ts';
import {
  cachedServiceAccountDirectory,
  sqlServiceAccounts,
} from './clients/sql-service-accounts.ts';
import { composeAccounts } from './compose-accounts.ts';
import type { AuthServerConfig } from './config.ts';
import { aesGcmSealer } from './crypto/seal.ts';
import { ownKeys } from './keys/own-keys.ts';
import { sqlSigningKeyStore } from './keys/sql-signing-keys.ts';
import { keepBuiltClients } from './library/built-clients.ts';
import { ACCOUNT_GRANT, knownScopes } from './library/client-metadata.ts';
import { showUndeliverableErrors } from './library/form-post.ts';
import { noteAccess } from './library/note-access.ts';
import type { Provider } from './library/oidc.ts';
import { answerAtUserinfo, ignoreSameScopes } from './library/one-token.ts';
import { compareRedirectUris } from './library/redirect-uris.ts';
import { compareHashedSecrets } from './library/secret-comparison.ts';
import { providerSlot } from './library/slot.ts';
import { mailQueue } from './mail/mail-queue.ts';
import { openMailSender } from './mail/open-mail-sender.ts';
import { askByPost } from './oauth/authorize/ask-by-post.ts';
import { continueForms } from './oauth/authorize/continue-form.ts';
import { providerPages } from './oauth/authorize/provider-pages.ts';
import { refusedRequestObject } from './oauth/authorize/request-object.ts';
import { endStaleSignIns } from './oauth/authorize/resume.ts';
import { interactionRoutes } from './oauth/authorize/routes.ts';
import { tellOfDevices } from './oauth/authorize/tell-of-devices.ts';
import { upstreamRoutes } from './oauth/authorize/upstream-routes.ts';
import { logWithoutPkce } from './oauth/authorize/without-pkce.ts';
import { deviceDoneRoutes } from './oauth/device/device-done.ts';
import { deviceGuesses } from './oauth/device/device-guesses.ts';
import { paceDevices, tellInterval } from './oauth/device/device-polls.ts';
import { metadataCaching } from './oauth/discovery/metadata.ts';
import { deliverLogoutNotices, keepLogoutNotices } from './oauth/logout/logout-delivery.ts';
import { endBeforeSession, recordSignOuts } from './oauth/logout/sign-out.ts';
import { ACCOUNT_GRANT_PARAMETERS, accountGrant } from './oauth/token/account-grant.ts';
import { noteRefusals } from './oauth/token/refused-kind.ts';
import { spend } from './oauth/token/spend.ts';
import { tokenBody } from './oauth/token/token-body.ts';
import { noteTokenErrors, tokenEndpoint } from './oauth/token/token-endpoint.ts';
import { nameUnauthorizedClients } from './oauth/token/unauthorized-client.ts';
import { sqlCustomers } from './organisations/sql-customers.ts';
import { cors } from './server/cors.ts';
import { faults, noteUnavailable } from './server/faults.ts';
import { issuerFacing } from './server/issuer-facing.ts';
import { MIGRATIONS } from './server/migrations.ts';
import { securityHeaders, surface } from './server/surface.ts';
import { sqlLogoutNotices, sweepSignedIn } from './sessions/sql-signed-in.ts';
import { answeringScope } from './state/answering.ts';
import { openStateStore } from './state/open-state-store.ts';
import { writeProbe } from './state/write-probe.ts';
import { sweepKnownAddresses } from './throttle/sql-known-addresses.ts';
import { sweepThrottle } from './throttle/sql-throttle.ts';
import { accountMailer } from './views/email/account-mailer.ts';
import { readAssets } from './web/assets.ts';
import { pages } from './web/page.ts';
import { staticAssets } from './web/static-assets.ts';

/** Passwords verified at once, and waiting: 19 MiB and a thread each. */
const PASSWORD_CONCURRENCY = 2;
const PASSWORD_QUEUE_MAX = 40;
const DAY_S = 86_400;
const SWEEP_INTERVAL_MS = 3_600_000;

export interface AuthServer extends RunningService {
  readonly port: number;
}

/**
 * Migrates, opens the stores, and listens.
 *
 * @param open how the database is opened.
 * @throws {DirectoryInUse | DirectoryUnusable | DatabaseUnavailable | PortUnavailable} each with
 *   a sentence for the operator.
 */
export async function startAuthServer(
  config: AuthServerConfig,
  log: Log,
  open: typeof openDatabase = openDatabase,
): Promise<AuthServer> {
  const schema = readSchema(MIGRATIONS);
  warnOfPlaintext(config, log);
  const database = await open(config.database, 'cls-auth-server', schema, log);
  try {
    if (config.production) {
      await refuseDemoCallers(database);
      await warnOfOwnerRole(database, config.database, log);
    }
    return await compose(config, database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function sweep(config: AuthServerConfig, database: Database, clock: Clock): Promise<void> {
  await sweepThrottle(database, clock);
  await sweepKnownAddresses(database, clock);
  const { sessionIdleS, sessionAbsoluteS, refreshTokenTtlS } = config;
  const grantS = Math.max(refreshTokenTtlS, sessionAbsoluteS);
  await sweepSignedIn(database, sessionIdleS + DAY_S, grantS + DAY_S);
  if (config.auditRetentionDays > 0) await sweepAudit(database, clock, config.auditRetentionDays);
}

/** Secrets that were made for evaluation must not open anything real. */
async function refuseDemoCallers(database: Database): Promise<void> {
  const demo = await sqlCustomers(database).listDemo();
  if (demo.length === 0) return;
  const ids = demo.map(({ id }) => id).join(', ');
  throw new ConfigurationError([
    `the database holds demo customers (${ids}): cls-auth customers disable <id>, or use another`,
  ]);
}

/** The only place where parts meet. */
async function compose(
  config: AuthServerConfig,
  database: Database,
  log: Log,
): Promise<AuthServer> {
  const clock = systemClock;
  const keyEncryptionKey =
    config.keyEncryptionKey ?? developmentSecret(config.dataDir, 'key-encryption-key');
  const sealer = aesGcmSealer(keyEncryptionKey);
  const cookieKey = config.cookieKey ?? developmentSecret(config.dataDir, 'cookie-key');
  const keys = sqlSigningKeyStore(database, sealer, config.signingKeyBits);
  const serviceAccounts = await cachedServiceAccountDirectory(database);
  const passwords = await argon2Verifier(PASSWORD_CONCURRENCY, PASSWORD_QUEUE_MAX);
  const sweeper = setInterval(() => {
    sweep(config, database, clock).catch((err) => log.warn({ err }, 'sweeping failed'));
  }, SWEEP_INTERVAL_MS);
  sweeper.unref();
  const audit = await sqlAuditLog(database, clock, log, {
    directory: config.auditSpoolDir,
    fsync: config.auditFsync,
  });
  const state = await openStateStore(config, database, log);
  const outgoing = mailQueue(await openMailSender(config), log);
  const mail = accountMailer(config, outgoing);
  const people = await composeAccounts(
    { ...config, keyEncryptionKey, cookieKey },
    { database, state, passwords, audit, mail, clock, log },
  );
  const { accounts, secondFactor, throttle, devices, knownAddresses } = people;
  const resourceServer = config;
  const assets = readAssets();
  const ourPages = pages({ ...config, assets, formKey: cookieKey });
  const settings = {
    ...config,
    cookieKey,
    applications: sqlApplications(database),
    pages: providerPages(ourPages, accounts, config.scopeBase),
    serviceAccounts,
    accounts,
    consents: people.consents,
    state,
  };
  const grant = accountGrant({
    accounts,
    records: people.records,
    secondFactor,
    throttle,
    devices,
    knownAddresses,
    state,
    clock,
    mfaPolicy: config.mfaPolicy,
    resourceServer,
  });
  const adminProfile = { ...config, audience: adminAudience(config.issuer) };
  const logFault = faultLog(log);
  const admin = adminApi({
    ...{ ...config, ...people, logFault },
    verifyToken: tokenVerifier(await ownKeys(keys), adminProfile, clock, warnOfClock(log)),
    serviceAccounts: sqlServiceAccounts(database),
    auditReader: sqlAuditReader(database),
  });
  const pace = paceDevices(state);
  const spending = spend(state, config.refreshGraceS);
  let service: HttpService | undefined;
  const checks = [
    { name: 'database', check: writeProbe(database) },
    { name: 'protocol_state', check: () => state.ready() },
  ];

  const logoutNotices = sqlLogoutNotices(database);
  let current: Provider | undefined;
  const prepare = (provider: Provider): void => {
    current = provider;
    provider.proxy = true; // issuerFacing has written the headers that it trusts.
    provider.registerGrantType(ACCOUNT_GRANT, grant, ACCOUNT_GRANT_PARAMETERS);
    compareHashedSecrets(provider, clock);
    compareRedirectUris(provider);
    answerAtUserinfo(provider);
    ignoreSameScopes(provider, knownScopes(config.scopeBase));
    keepBuiltClients(provider, serviceAccounts);
    endBeforeSession(provider, people.access);
    recordSignOuts(provider, audit);
    noteTokenErrors(provider);
    noteUnavailable(provider);
    noteRefusals(provider);
    logWithoutPkce(provider, log);
    showUndeliverableErrors(provider);
    provider.on('server_error', (ctx, err) => logFault(err, ctx.state['requestId']));
    keepLogoutNotices(provider, logoutNotices, log);
    (provider as Koa).on('error', (err) => logFault(err, undefined));
    provider.use(readableTarget);
    provider.use(requestId);
    provider.use(requestLog(log));
    provider.use(strictTransport(config.issuer));
    provider.use(securityHeaders);
    provider.use(faults(ourPages, logFault));
    provider.use(health(checks, () => service?.draining ?? false));
    provider.use(cors(settings.applications, config.issuer));
    provider.use(surface(ourPages));
    provider.use(answeringScope(audit, log));
    provider.use(askByPost(ourPages));
    provider.use(refusedRequestObject);
    provider.use(admin);
    provider.use(metadataCaching);
    provider.use(staticAssets(assets));
    provider.use(continueForms(provider, ourPages));
    provider.use(endStaleSignIns({ ...people, state, pages: ourPages }));
    provider.use(noteAccess(people.signedIn, people.access, state, log));
    provider.use(deviceDoneRoutes(provider, ourPages));
    provider.use(tellOfDevices(people));
    provider.use(deviceGuesses(throttle, ourPages));
    provider.use(nameUnauthorizedClients);
    provider.use(tellInterval);
    provider.use(tokenEndpoint(throttle, audit, spending, { log, logFault, pace }));
    provider.use(tokenBody);
    provider.use(upstreamRoutes({ ...config, ...people, state, audit, pages: ourPages }));
    const signedIn = async (ctx: Koa.Context) =>
      (await visitorOf(provider, { ...config, ...people }, ctx))?.account;
    provider.use(passwordRoutes({ ...people, pages: ourPages, signedIn }));
    provider.use(accountRoutes(provider, { ...config, ...people, state, pages: ourPages }));
    provider.use(
      interactionRoutes(provider, {
        ...config,
        ...people,
        state,
        audit,
        pages: ourPages,
      }),
    );
  };
  const stopTelling = deliverLogoutNotices(logoutNotices, () => current, log);
  const slot = await providerSlot(config.issuer, settings, keys, prepare, log);
  const faceIssuer = issuerFacing(config.issuer, config.trustedProxyHops);
  const handler: RequestListener = (request, response) => {
    faceIssuer(request);
    slot(request, response);
  };
  const running = await startHttpService({ ...config, drainTimeoutMs: 10_000, log }, () => handler);
  service = running;
  log.info({ port: running.port, issuer: config.issuer }, 'auth-server is listening');
  return {
    log,
    port: running.port,
    async stop() {
      await Promise.all([running.stop(), stopTelling()]);
      clearInterval(sweeper);
      await people.settle();
      await outgoing.drain();
      await audit.flush();
      await state.close();
      await database.close();
    },
  };
}
