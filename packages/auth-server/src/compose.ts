import { type Clock, systemClock } from '@cls/shared/clock';
import { aheadOf } from '@cls/shared/clock-offset';
import { developmentSecret } from '@cls/shared/development-secret';
import { faultLog } from '@cls/shared/http/fault-log';
import type { ReadinessCheck } from '@cls/shared/http/health';
import { startHttpService } from '@cls/shared/http/http-service';
import { answerRecorder } from '@cls/shared/http/request-log';
import type { Log } from '@cls/shared/log';
import { openMailSender } from '@cls/shared/mail/open-mail-sender';
import { aesGcmSealer } from '@cls/shared/seal';
import { clockWatch } from '@cls/shared/service/clock-watch';
import { observation } from '@cls/shared/service/observation';
import { openDatabase } from '@cls/shared/service/open-database';
import { openMetrics, type ServedMetrics } from '@cls/shared/service/open-metrics';
import { warnOfOwnerRole } from '@cls/shared/service/owner-role';
import { warnOfPlaintext } from '@cls/shared/service/plaintext-connections';
import type { RunningService } from '@cls/shared/service/run-service';
import { measureTasks } from '@cls/shared/service/task-ages';
import { besideRequests, type Database } from '@cls/shared/sql/database';
import { databaseClock } from '@cls/shared/sql/database-clock';
import { readSchema } from '@cls/shared/sql/migrate';
import { sqlTaskRuns } from '@cls/shared/sql/task-runs';
import type { Tracing } from '@cls/shared/tracing/tracing';
import { argon2Verifier } from './accounts/password.ts';
import { countedAudit } from './audit/counted-audit.ts';
import { sealRegularly } from './audit/seal-regularly.ts';
import { sqlAuditChain } from './audit/sql-audit-chain.ts';
import { sqlAuditLog } from './audit/sql-audit-log.ts';
import { sweepAudit } from './audit/sql-audit-months.ts';
import { sweepClientSecrets } from './clients/sql-client-secrets.ts';
import { shareTokenUse, sqlTokenUse, sweepTokenUse } from './clients/sql-token-use.ts';
import { tokenBudget } from './clients/token-budget.ts';
import { composeAccounts } from './compose-accounts.ts';
import { lostCounter, measureAuthServer } from './compose-metrics.ts';
import { sendNotices } from './compose-notices.ts';
import { composeProvider } from './compose-provider.ts';
import type { AuthServerConfig } from './config.ts';
import { resealRegularly } from './keys/reseal-regularly.ts';
import { rotateRegularly } from './keys/rotate-regularly.ts';
import { sqlSigningKeyStore } from './keys/sql-signing-keys.ts';
import type { IssueServiceToken } from './library/service-token.ts';
import { longestSessionS } from './library/session-lifetime.ts';
import { mailQueue } from './mail/mail-queue.ts';
import { sqlCustomerNotices, sweepCustomerNotices } from './notices/sql-customer-notices.ts';
import { clientCredentials } from './oauth/token/client-credentials.ts';
import { refuseDemoCustomers } from './organisations/demo-customers.ts';
import { sqlCustomers } from './organisations/sql-customers.ts';
import { answerMetrics } from './server/answer-metrics.ts';
import { headersOfAll, normalizeRequests } from './server/every-request.ts';
import { MIGRATIONS } from './server/migrations.ts';
import { ROUTE_PATTERNS } from './server/route-table.ts';
import { sweepRememberedDevices } from './sessions/sql-remembered-devices.ts';
import { sqlLogoutNotifications, sweepSessions } from './sessions/sql-session-store.ts';
import { openStateStore } from './state/open-state-store.ts';
import { replicaClocks } from './state/replica-clocks.ts';
import { writeProbe } from './state/write-probe.ts';
import { TASKS } from './tasks.ts';
import { sweepKnownAddresses } from './throttle/sql-known-addresses.ts';
import { sweepThrottle } from './throttle/sql-throttle.ts';
import { endingTokens } from './token-status/ending-tokens.ts';
import { sqlTokenStatus, sweepTokenStatus } from './token-status/sql-token-status.ts';
import { accountMailer } from './views/email/account-mailer.ts';
import { readAssets } from './web/assets.ts';
import { overloadPages } from './web/error-page.ts';
import { OVERLOADED } from './web/oauth-error.ts';
import { pages } from './web/page.ts';

/** Passwords verified at once, and waiting: 19 MiB and a thread each. */
const PASSWORD_CONCURRENCY = 2;
const PASSWORD_QUEUE_MAX = 40;
/** How long requests under way may take to end when the service stops. */
const DRAIN_TIMEOUT_MS = 10_000;
const DAY_S = 86_400;
const NOTICES_KEPT_DAYS = 400;
const SWEEP_INTERVAL_MS = 3_600_000;
const MANIFEST = new URL('../../package.json', import.meta.url);

export interface AuthServer extends RunningService {
  readonly port: number;
  readonly metricsPort: number | undefined;
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
  tracing?: Tracing,
): Promise<AuthServer> {
  const schema = readSchema(MIGRATIONS);
  warnOfPlaintext(config, log);
  const database = await open(config.database, 'cls-auth-server', schema, log);
  const opened: Opened = [() => database.close()];
  try {
    const metrics = await openMetrics(config.metrics, 'auth-server', MANIFEST, log);
    opened.push(() => metrics.stop());
    if (config.production) {
      await refuseDemoCustomers(sqlCustomers(database));
      await warnOfOwnerRole(database, config.database, log);
    }
    return await compose(config, database, metrics, log, tracing, opened);
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** What a start that fails closes, the last first. */
type Opened = (() => Promise<unknown>)[];

/** Deletes records that have ended. */
export async function sweep(
  config: AuthServerConfig,
  database: Database,
  clock: Clock,
): Promise<void> {
  await sweepThrottle(database, clock);
  await sweepKnownAddresses(database, clock);
  await sweepTokenUse(database);
  await sweepClientSecrets(database);
  await sweepTokenStatus(database);
  const { sessionIdleS, refreshTokenTtlS, rememberDeviceS } = config;
  const sessionS = Math.max(sessionIdleS, longestSessionS(config));
  const grantS = Math.max(refreshTokenTtlS, longestSessionS(config));
  await sweepSessions(database, sessionS + DAY_S, grantS + DAY_S);
  await sweepCustomerNotices(database, NOTICES_KEPT_DAYS);
  await sweepRememberedDevices(database, rememberDeviceS);
  await sweepAudit(database, clock, config.auditRetentionDays);
}

/** The only place where parts meet. */
async function compose(
  config: AuthServerConfig,
  unobserved: Database,
  metrics: ServedMetrics,
  log: Log,
  tracing: Tracing | undefined,
  opened: Opened,
): Promise<AuthServer> {
  const clock = systemClock;
  const observed = observation(metrics, tracing);
  const database = observed.database(unobserved);
  const { keyEncryptionKey, cookieKey } = secretsOf(config);
  const { previousKeyEncryptionKey } = config;
  const sealer = aesGcmSealer(keyEncryptionKey, undefined, previousKeyEncryptionKey);
  const keys = sqlSigningKeyStore(database, sealer, config.signingKeyBits);
  const passwords = await argon2Verifier(PASSWORD_CONCURRENCY, PASSWORD_QUEUE_MAX);
  const { auditSpoolDir: directory, auditFsync: fsync } = config;
  const spooled = await sqlAuditLog(besideRequests(database), clock, log, {
    ...{ directory, fsync, onLost: lostCounter(metrics, 'audit') },
  });
  opened.push(() => spooled.flush());
  const budget = tokenBudget(config);
  const audit = countedAudit(spooled, metrics);
  const state = endingTokens(
    await openStateStore(config, database, log, observed.command),
    sqlTokenStatus(database),
  );
  opened.push(() => state.close());
  const onLost = lostCounter(metrics, 'mail');
  const transport = await openMailSender(config);
  const outgoing = mailQueue(transport, log, { onLost });
  const mail = accountMailer(config, outgoing);
  const { issuer } = config;
  const product = config.brand.name;
  const accountServices = await composeAccounts(
    { ...config, keyEncryptionKey, cookieKey, product },
    { database, state, passwords, audit, mail, clock, log, metrics },
  );
  const assets = readAssets(config.brand);
  const shown = pages({
    ...{ ...config, assets, product, formKey: cookieKey },
    previousFormKey: config.previousCookieKey,
  });
  const stores: readonly ReadinessCheck[] = [
    { name: 'database', check: writeProbe(besideRequests(database)) },
    { name: 'protocol_state', check: () => state.ready() },
    { name: 'audit', check: () => spooled.writable() },
  ];
  const apart = besideRequests(database);
  const clocks = clockWatch({
    clocks: {
      database: async () => aheadOf(await databaseClock(apart)),
      replicas: replicaClocks(state, apart, config.port),
    },
    ...{ toleranceS: config.clockToleranceS, metrics, log },
  });
  const checks = [...stores, clocks.check];
  const logFault = faultLog(log, stores);
  const recordAnswer = answerRecorder(log, metrics, ROUTE_PATTERNS, {
    measured: [answerMetrics(metrics)],
    traced: tracing === undefined ? [] : [tracing.answered],
  });
  const provider = await composeProvider({
    ...{ config, database, clock, keys, accountServices, tokenBudget: budget, state, audit },
    ...{ cookieKey, assets, pages: shown, log, logFault, checks, recordAnswer, metrics, tracing },
  });
  const resealing = resealRegularly(besideRequests(database), {
    ...{ current: keyEncryptionKey, previous: previousKeyEncryptionKey, audit, log },
  });
  const rotating = rotateRegularly(keys, config.keyRotationDays, { audit, clock, log });
  const customerNotices = sqlCustomerNotices(apart);
  const notices = sendNotices(config, {
    ...{ outbox: customerNotices, mail: transport, sealer, audit, clock, log, tracing },
    onLost: lostCounter(metrics, 'customerNotices'),
  });
  const sealing = sealRegularly(sqlAuditChain(besideRequests(database)), log);
  const stopSweeping = sweepRegularly(config, database, clock, log);
  const stopSharing = shareTokenUse(budget, sqlTokenUse(besideRequests(database)), log);
  const { host, port, drainDelayMs, trustedProxyHops, limits, healthPort } = config;
  const headers = headersOfAll(issuer);
  const { live } = provider;
  const handler = clientCredentials(
    {
      tokens: tracedTokens(live, tracing),
      issuer,
      trustedProxyHops,
      audit,
      budget,
      recordAnswer,
      logFault,
      headers: Object.entries(headers).flat(),
    },
    normalizeRequests(issuer, config, live),
  );
  const running = await startHttpService(
    {
      ...{ host, port, drainDelayMs, drainTimeoutMs: DRAIN_TIMEOUT_MS, trustedProxyHops, log },
      ...{ limits, healthPort, metrics, overloadedBody: OVERLOADED.body },
      overloadPage: overloadPages(shown, headers),
      baseUrl: issuer,
    },
    () => observed.requests(handler),
  );
  provider.servedBy(running);
  measureTasks(metrics, sqlTaskRuns(apart), Object.keys(TASKS));
  measureAuthServer(metrics, {
    ...{ clock, keys, passwords, audit: spooled, mail: outgoing },
    logoutNotifications: sqlLogoutNotifications(database),
    customerNotices,
  });
  log.info({ port: running.port, issuer }, 'auth-server is listening');
  return {
    log,
    port: running.port,
    metricsPort: metrics.port,
    async stop() {
      await Promise.all([running.stop(), provider.stop()]);
      stopSweeping();
      await Promise.all([resealing.stop(), rotating.stop(), sealing.stop(), notices.stop()]);
      clocks.stop();
      await stopSharing();
      await accountServices.settle();
      await outgoing.drain();
      await audit.flush();
      await state.close();
      await database.close();
      await metrics.stop();
      await tracing?.stop();
    },
  };
}

/** A span for each token of the short way; the long way has its own. */
function tracedTokens(
  tokens: { readonly issue: IssueServiceToken },
  tracing: Tracing | undefined,
): { readonly issue: IssueServiceToken } {
  if (tracing === undefined) return tokens;
  return { issue: (asked) => tracing.during('token', () => tokens.issue(asked)) };
}

/** On a developer's machine they are made, and kept in its folder. */
function secretsOf({ keyEncryptionKey, cookieKey, dataDir }: AuthServerConfig) {
  return {
    keyEncryptionKey: keyEncryptionKey ?? developmentSecret(dataDir, 'key-encryption-key'),
    cookieKey: cookieKey ?? developmentSecret(dataDir, 'cookie-key'),
  };
}

function sweepRegularly(config: AuthServerConfig, database: Database, clock: Clock, log: Log) {
  const sweeper = setInterval(() => {
    sweep(config, database, clock).catch((err) =>
      log.warn({ err }, 'expired records cannot be deleted'),
    );
  }, SWEEP_INTERVAL_MS);
  sweeper.unref();
  return () => clearInterval(sweeper);
}
