import { join } from 'node:path';
import { authenticator } from '@cls/shared/access/authenticate';
import { REVOCATIONS_CHANNEL } from '@cls/shared/access/status-list';
import { memoryUsedProofs, type UsedProofs } from '@cls/shared/access/used-proofs';
import { tokenVerifier } from '@cls/shared/access/verify-token';
import { warnOfClock } from '@cls/shared/access/warn-of-clock';
import { type Clock, systemClock } from '@cls/shared/clock';
import { aheadOf } from '@cls/shared/clock-offset';
import { measureReadiness, type ReadinessCheck } from '@cls/shared/http/health';
import { type HttpService, startHttpService } from '@cls/shared/http/http-service';
import { longAnswers } from '@cls/shared/http/long-answers';
import { answerRecorder } from '@cls/shared/http/request-log';
import type { Log } from '@cls/shared/log';
import { clockWatch } from '@cls/shared/service/clock-watch';
import { type Observation, observation } from '@cls/shared/service/observation';
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
import { type CallersUsage, callerBudgets, callersUsage } from './access/caller-budget.ts';
import { documentFile } from './access/kept-document.ts';
import { type KeySource, logReads, remoteKeySource } from './access/key-source.ts';
import { leasedRateLimit, type RateLimit } from './access/rate-limit.ts';
import type { RedisScripts } from './access/redis-connection.ts';
import { redisUsedProofs } from './access/redis-used-proofs.ts';
import { redisWindow } from './access/redis-window.ts';
import { memoryWindow } from './access/shared-window.ts';
import {
  remoteTokenStatus,
  type TokenStatus,
  type TokenStatusOptions,
} from './access/token-status.ts';
import { rememberVerified } from './access/verified-tokens.ts';
import { composeImports } from './compose-imports.ts';
import { measureResourceApi } from './compose-metrics.ts';
import { composeNotices } from './compose-notices.ts';
import { composeQuestions } from './compose-questions.ts';
import type { ResourceApiConfig } from './config.ts';
import { MIGRATIONS } from './database/migrations.ts';
import { readinessError, reportRefusedReaderRole } from './database/reader-role.ts';
import { type AppDeps, createApp } from './http/app.ts';
import { routePatterns } from './http/version-step.ts';
import { createRegistry, type RetiredAt } from './lifecycle/registry.ts';
import { type Memories, openMemories } from './memory/memories.ts';
import { bookFacts } from './questions/ask/sql/book-facts.ts';
import { readLog } from './reads/read-log.ts';
import { sqlReadLog } from './reads/sql-read-log.ts';
import { TASKS } from './tasks.ts';
import { redisVersionUsage } from './usage/redis-version-usage.ts';
import { sqlVersionUsage } from './usage/sql-version-usage.ts';
import { sumUsage } from './usage/sum-usage.ts';
import { usageCounter } from './usage/usage-counter.ts';
import { type ApiVersions, apiVersions } from './versions/api-versions.ts';
import { NOTICE_POLICY, RELEASES } from './versions/releases.ts';
import { type V1Deps, v1 } from './versions/v1/index.ts';

/** How long requests under way may take to end when the service stops. */
const DRAIN_TIMEOUT_MS = 10_000;
const MANIFEST = new URL('../../package.json', import.meta.url);

export interface ResourceApi extends RunningService {
  readonly port: number;
  readonly metricsPort: number | undefined;
}

/** The versions that this product serves, on the parts that their code works with. */
export function productVersions(deps: V1Deps, retiredAt?: RetiredAt): ApiVersions {
  return apiVersions(createRegistry(RELEASES, NOTICE_POLICY, retiredAt), [v1(deps)]);
}

/**
 * Migrates, opens the store, begins to read keys, and listens.
 *
 * @throws {DirectoryInUse | DirectoryUnusable | DatabaseUnavailable | PortUnavailable} each with
 *   a sentence for the operator.
 */
export async function startResourceApi(
  config: ResourceApiConfig,
  log: Log,
  clock: Clock = systemClock,
  versionsOf: typeof productVersions = productVersions,
  tracing?: Tracing,
): Promise<ResourceApi> {
  const schema = readSchema(MIGRATIONS);
  warnOfPlaintext(config, log);
  const opened = await openDatabase(config.database, 'cls-resource-api', schema, log);
  let metrics: ServedMetrics | undefined;
  let keys: KeySource | undefined;
  try {
    metrics = await openMetrics(config.metrics, 'resource-api', MANIFEST, log);
    if (config.production) await warnOfOwnerRole(opened, config.database, log);
    await reportRefusedReaderRole(opened, log);
    const memories = openMemories(metrics);
    keys = remoteKeySource({
      url: config.jwksUrl,
      refreshMs: config.jwksRefreshS * 1000,
      file: documentFile(join(config.dataDir, 'key-set.json'), config.jwksUrl, ({ message }) =>
        log.warn(
          { reason: message },
          'the key set cannot be saved in CLS_DATA_DIR: after a restart, no token can be verified until auth-server answers',
        ),
      ),
      ...logReads(log),
      memories,
    });
    return await compose(config, opened, keys, memories, metrics, log, clock, versionsOf, tracing);
  } catch (error) {
    keys?.stop();
    await metrics?.stop();
    await opened.close();
    throw error;
  }
}

/** The only place where parts meet. */
async function compose(
  config: ResourceApiConfig,
  opened: Database,
  keys: KeySource,
  memories: Memories,
  metrics: ServedMetrics,
  log: Log,
  clock: Clock,
  versionsOf: typeof productVersions,
  tracing: Tracing | undefined,
): Promise<ResourceApi> {
  const observed = observation(metrics, tracing);
  const database = observed.database(opened);
  const usageOf = callersUsage(memories);
  const budgets = callerBudgets(config.callerLimits, undefined, usageOf);
  const questions = composeQuestions(config, database, observed, budgets, memories, clock, log);
  const { reads, replicas, shared, apart } = questions;
  // The library takes a sixth of a second to load, and many services need it for nothing.
  const redis =
    config.redisUrl &&
    (await import('./access/redis-connection.ts')).connectRedis(
      config.redisUrl,
      log,
      observed.command,
    );
  const { usage, counted } = composeUsage(database, redis, clock, log);
  const records = sqlReadLog(besideRequests(database));
  const reading = readLog(config.readLog, { records, metrics, log });
  const notices = await composeNotices(config, database, counted, clock, log, tracing);
  const imports = composeImports(config, database, log);
  const versionDeps = {
    ...{ ...questions.versionDeps, imports: imports.deps },
    usage: { counts: counted, now: clock.now },
  };
  const versions = versionsOf(versionDeps, notices.retiredAt);
  const status = composeTokenStatus(config, keys, redis, { memories, clock, log });
  const countThrottled = measureResourceApi(metrics, { database, replicas, keys, status, shared });
  const readiness = composeReadiness(config, apart, keys, metrics, log);
  // A book that others bill is not billed here.
  measureTasks(metrics, sqlTaskRuns(apart), Object.keys(TASKS), ['bill']);
  const verify = tokenVerifier(keys, config, clock, warnOfClock(log));
  const tokens = rememberVerified(verify, keys, status, clock, memories);
  const { issuer, audience, mtlsBaseUrl, corsOrigins, scopeBase, trustedProxyHops } = config;
  const app: Omit<AppDeps, 'isDraining'> = {
    tokens,
    authenticate: authenticator({
      verify: tokens.verify,
      usedProofs: redis === undefined ? proofsOfProcess(memories) : redisUsedProofs(redis),
      ...{ baseUrls: publicUrls(config), trustsCertificates: mtlsBaseUrl !== undefined },
      ...{ clock, clockToleranceS: config.clockToleranceS },
    }),
    rateLimit: rateLimitOf(config, redis, usageOf),
    longAnswers: longAnswers(config.longAnswers, metrics),
    readLog: reading,
    ledger: questions.versionDeps.ledger,
    checks: readiness.checks,
    answerTimeoutMs: config.answerTimeoutS * 1_000,
    recordAnswer: answerRecorder(log, metrics, routePatterns(versions), {
      measured: [countThrottled],
      traced: tracing === undefined ? [] : [tracing.answered],
    }),
    ...{ issuer, audience, mtlsBaseUrl, corsOrigins, scopeBase, trustedProxyHops },
    ...{ budgets, queue: shared, usage, versions, clock, log, memories },
  };
  const running = await listen(config, app, observed);
  const telling = notices.start(() => versions.registry);
  const importing = imports.start();
  log.info({ port: running.port, issuer }, 'resource-api is listening');
  return {
    log,
    port: running.port,
    metricsPort: metrics.port,
    async stop() {
      await running.stop();
      keys.stop();
      status.stop();
      readiness.stop();
      await Promise.all([telling.stop(), importing.stop(), usage.stop(), reading.stop()]);
      await redis?.stop();
      await reads.close();
      await metrics.stop();
      await tracing?.stop();
    },
  };
}

/** What counts the use of versions: in Redis where there is one, in the database while that does not answer. */
function composeUsage(database: Database, redis: RedisScripts | undefined, clock: Clock, log: Log) {
  const counts = sqlVersionUsage(database);
  if (redis === undefined) {
    return { usage: usageCounter({ store: counts, clock, log }), counted: counts };
  }
  const inRedis = redisVersionUsage(redis, clock.now);
  const usage = usageCounter({ store: inRedis, fallback: counts, clock, log });
  return { usage, counted: sumUsage(counts, inRedis) };
}

/** Hears of revocations at once where auth-server uses the same Redis. */
function composeTokenStatus(
  { issuer, statusListsUrl: url, revocationFailOpenS: failOpenS, dataDir }: ResourceApiConfig,
  keys: KeySource,
  redis: RedisScripts | undefined,
  { memories, clock, log }: Pick<TokenStatusOptions, 'clock'> & { memories: Memories; log: Log },
): TokenStatus {
  const status = remoteTokenStatus({
    ...{ issuer, url, keys, failOpenS, memories, clock },
    file: documentFile(join(dataDir, 'token-status.json'), url, ({ message }) =>
      log.warn({ reason: message }, 'what tokens are revoked cannot be saved in CLS_DATA_DIR'),
    ),
    ...logReads(log, {
      begins: 'the list of revoked tokens cannot be read',
      continues: 'the list of revoked tokens could not be read in the last minute',
      ends: 'the list of revoked tokens is read again',
    }),
  });
  redis?.subscribe(REVOCATIONS_CHANNEL, status.readNow);
  return status;
}

function proofsOfProcess(memories: Memories): UsedProofs {
  const proofs = memoryUsedProofs();
  memories.register('proofs', () => ({ entries: proofs.size, size: 0 }));
  return proofs;
}

/** Where callers reach the API. A proxy in front may have taken the issuer's path off. */
function publicUrls({ issuer, audience, mtlsBaseUrl }: ResourceApiConfig): readonly string[] {
  const urls = [issuer, audience, ...(mtlsBaseUrl === undefined ? [] : [mtlsBaseUrl])];
  // An audience may be no address; then it has no origin.
  return [...new Set([issuer, ...urls.map((url) => new URL(url).origin)])];
}

/** Answers requests from now on. */
async function listen(
  config: ResourceApiConfig,
  deps: Omit<AppDeps, 'isDraining'>,
  observed: Observation,
): Promise<HttpService> {
  let service: HttpService | undefined;
  const app = createApp({ ...deps, isDraining: () => service?.draining ?? false });
  const { host, port, drainDelayMs, trustedProxyHops, limits, healthPort } = config;
  service = await startHttpService(
    {
      ...{ host, port, drainDelayMs, drainTimeoutMs: DRAIN_TIMEOUT_MS, trustedProxyHops },
      ...{ limits, healthPort, metrics: observed.metrics, log: deps.log },
      ...{ baseUrl: config.issuer, findsFullQueue: app.findsFullQueue },
    },
    () => observed.requests(app.handle),
  );
  return service;
}

/** What the service needs: a database to read balances from, keys, and a clock that is right. */
function composeReadiness(
  { clockToleranceS: toleranceS }: ResourceApiConfig,
  database: Database,
  keys: KeySource,
  metrics: ServedMetrics,
  log: Log,
) {
  const book = bookFacts(database, database);
  const clocks = clockWatch({
    clocks: {
      database: async () => aheadOf(await databaseClock(database)),
      issuer: async () => aheadOf(keys),
    },
    ...{ toleranceS, metrics, log },
  });
  const checks: readonly ReadinessCheck[] = [
    {
      name: 'database',
      check: async () => {
        await Promise.all([book.ready(), book.generation()]).catch(async (error) => {
          throw await readinessError(error, database);
        });
      },
    },
    {
      name: 'keys',
      check: async () => {
        if (!keys.ready) throw new Error('no key set yet');
      },
    },
    clocks.check,
  ];
  measureReadiness(metrics, checks);
  return { checks, stop: clocks.stop };
}

function rateLimitOf(
  { rateLimitPerMinute: limit }: ResourceApiConfig,
  redis: RedisScripts | undefined,
  usageOf: CallersUsage,
): RateLimit | undefined {
  if (limit === 0) return undefined;
  const window =
    redis === undefined ? memoryWindow(limit, usageOf) : redisWindow(limit, redis, usageOf);
  return leasedRateLimit(limit, window, usageOf);
}
