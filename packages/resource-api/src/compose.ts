import { join } from 'node:path';
import { tokenVerifier } from '@cls/shared/access/verify-token';
import { warnOfClock } from '@cls/shared/access/warn-of-clock';
import { type Clock, systemClock } from '@cls/shared/clock';
import { aheadOf } from '@cls/shared/clock-offset';
import { developmentSecret } from '@cls/shared/development-secret';
import { measureReadiness, type ReadinessCheck } from '@cls/shared/http/health';
import { type HttpService, startHttpService } from '@cls/shared/http/http-service';
import { longAnswers } from '@cls/shared/http/long-answers';
import { answerRecorder } from '@cls/shared/http/request-log';
import type { Log } from '@cls/shared/log';
import { clockWatch } from '@cls/shared/service/clock-watch';
import { type Observation, observation } from '@cls/shared/service/observation';
import { openDatabase, openReadReplica } from '@cls/shared/service/open-database';
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
import { currentAsker } from './access/asker.ts';
import { callerBudgets } from './access/caller-budget.ts';
import { type CallersUsage, callersUsage } from './access/caller-usage.ts';
import { keySetFile } from './access/key-set-file.ts';
import { type KeySource, logReads, remoteKeySource } from './access/key-source.ts';
import { leasedRateLimit, type RateLimit } from './access/rate-limit.ts';
import { connectRedis, type RedisScripts } from './access/redis-connection.ts';
import { redisWindow } from './access/redis-window.ts';
import { memoryWindow } from './access/shared-window.ts';
import { rememberVerified } from './access/verified-tokens.ts';
import { measureResourceApi, readCounter } from './compose-metrics.ts';
import { composeNotices } from './compose-notices.ts';
import type { ResourceApiConfig } from './config.ts';
import { fairDatabase } from './database/fair-database.ts';
import { MIGRATIONS } from './database/migrations.ts';
import { type ReadReplica, type RecordRead, readsOnReplicas } from './database/read-replicas.ts';
import { readinessError, reportRefusedReaderRole } from './database/reader-role.ts';
import { createApp } from './http/app.ts';
import { routePatterns } from './http/version-step.ts';
import { createRegistry, type RetiredAt } from './lifecycle/registry.ts';
import { type Memories, openMemories } from './memory/memories.ts';
import { currentLedger } from './questions/ask/current-ledger.ts';
import { cursorCodec } from './questions/ask/cursor.ts';
import { snapshots } from './questions/ask/snapshot.ts';
import { callerReader } from './questions/lists/read-caller.ts';
import { changesReader } from './questions/lists/read-changes.ts';
import { comparedReader } from './questions/lists/read-compared.ts';
import { movementsReader } from './questions/lists/read-movements.ts';
import { seriesReader } from './questions/lists/read-series.ts';
import { balancesReader } from './questions/page/read-balances.ts';
import { dealReader, itemReader } from './questions/page/read-item.ts';
import { sqlBalanceStore } from './questions/sql-balance-store.ts';
import { facetsReader } from './questions/totals/read-facets.ts';
import { groupsReader } from './questions/totals/read-groups.ts';
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
  const database = await openDatabase(config.database, 'cls-resource-api', schema, log);
  let metrics: ServedMetrics | undefined;
  let keys: KeySource | undefined;
  try {
    metrics = await openMetrics(config.metrics, 'resource-api', MANIFEST, log);
    if (config.production) await warnOfOwnerRole(database, config.database, log);
    await reportRefusedReaderRole(database, log);
    const memories = openMemories(metrics);
    keys = remoteKeySource({
      url: config.jwksUrl,
      refreshMs: config.jwksRefreshS * 1000,
      file: keySetFile(join(config.dataDir, 'key-set.json'), config.jwksUrl, ({ message }) =>
        log.warn(
          { reason: message },
          'the key set cannot be saved in CLS_DATA_DIR: after a restart, no token can be verified until auth-server answers',
        ),
      ),
      ...logReads(log),
      memories,
    });
    return await compose(
      config,
      database,
      keys,
      memories,
      metrics,
      log,
      clock,
      versionsOf,
      tracing,
    );
  } catch (error) {
    keys?.stop();
    await metrics?.stop();
    await database.close();
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
  const recordRead = readCounter(metrics);
  const { reads, replicas, sources } = openReads(config, database, observed, recordRead, log);
  const pool = config.database.kind === 'postgres' ? sharedOut(config.database.poolSize) : 1;
  const slots = () => pool * sources();
  const shared = fairDatabase(reads, { slots, budgets, asker: currentAsker });
  const store = sqlBalanceStore(shared, reads, undefined, memories);
  const apart = config.readReplicas.length === 0 ? besideRequests(reads) : reads;
  const beside = sqlBalanceStore(apart, apart);
  const ledger = currentLedger(store, clock, memories.book);
  const cursors = cursorCodec(
    config.cursorKey ?? developmentSecret(config.dataDir, 'cursor-key'),
    config.previousCursorKey,
  );
  const times = snapshots(store, ledger, memories.book);
  const readBalances = balancesReader(store, times, cursors);
  const readChanges = changesReader(store, times, readBalances);
  const readCompared = comparedReader(store, times);
  const readMovements = movementsReader(store, times, cursors);
  const readItem = itemReader(store, times);
  const readCaller = callerReader(store, times);
  const readGroups = groupsReader(store, times);
  const readSeries = seriesReader(store, times);
  const readFacets = facetsReader(store, times);
  const readDeal = dealReader(store, times, readBalances);
  const redis = config.redisUrl && connectRedis(config.redisUrl, log, observed.command);
  const counts = sqlVersionUsage(database);
  const inRedis = redis && redisVersionUsage(redis, clock.now);
  const usage = usageCounter({
    ...(inRedis === undefined ? { store: counts } : { store: inRedis, fallback: counts }),
    clock,
    log,
  });
  const counted = inRedis === undefined ? counts : sumUsage(counts, inRedis);
  const reading = readLog(config.readLog, {
    records: sqlReadLog(besideRequests(database)),
    metrics,
    log,
  });
  const notices = await composeNotices(config, database, counted, clock, log, tracing);
  const versions = versionsOf(
    {
      ...{
        readBalances,
        readChanges,
        readCompared,
        readMovements,
        readItem,
        readDeal,
        readCaller,
        readGroups,
      },
      ...{ readSeries, readFacets, ledger, cursors },
    },
    notices.retiredAt,
  );
  const countThrottled = measureResourceApi(metrics, { database, replicas, keys, shared, clock });
  const needs: readonly ReadinessCheck[] = [
    {
      name: 'database',
      check: async () => {
        await Promise.all([beside.ready(), beside.generation()]).catch(async (error) => {
          throw await readinessError(error, apart);
        });
      },
    },
    {
      name: 'keys',
      check: async () => {
        if (!keys.ready) throw new Error('no key set yet');
      },
    },
  ];
  const clocks = clockWatch({
    clocks: {
      database: async () => aheadOf(await databaseClock(apart)),
      issuer: async () => aheadOf(keys),
    },
    ...{ toleranceS: config.clockToleranceS, metrics, log },
  });
  const checks = [...needs, clocks.check];
  measureReadiness(metrics, checks);
  // A book that others bill is not billed here.
  measureTasks(metrics, sqlTaskRuns(apart), Object.keys(TASKS), ['bill']);
  let service: HttpService | undefined;
  const verify = tokenVerifier(keys, config, clock, warnOfClock(log));
  const app = createApp({
    tokens: rememberVerified(verify, keys, clock, memories),
    rateLimit: rateLimitOf(config, redis, usageOf),
    budgets,
    longAnswers: longAnswers(config.longAnswers, metrics),
    readLog: reading,
    trustedProxyHops: config.trustedProxyHops,
    ledger,
    usage,
    versions,
    issuer: config.issuer,
    corsOrigins: config.corsOrigins,
    scopeBase: config.scopeBase,
    checks,
    isDraining: () => service?.draining ?? false,
    answerTimeoutMs: config.answerTimeoutS * 1_000,
    clock,
    log,
    recordAnswer: answerRecorder(log, metrics, routePatterns(versions), {
      measured: [countThrottled],
      traced: tracing === undefined ? [] : [tracing.answered],
    }),
    memories,
  });
  const { host, port, drainDelayMs, trustedProxyHops, limits, healthPort } = config;
  const running = await startHttpService(
    {
      ...{ host, port, drainDelayMs, drainTimeoutMs: DRAIN_TIMEOUT_MS, trustedProxyHops, log },
      ...{ limits, healthPort, metrics },
      baseUrl: config.issuer,
      findsFullQueue(request, ahead) {
        if (!shared.isFull(ahead)) return false;
        const asker = app.askerOf(request);
        return asker !== undefined && shared.refuses(asker, ahead);
      },
    },
    () => observed.requests(app.handle),
  );
  service = running;
  const telling = notices.start(() => versions.registry);
  log.info({ port: running.port, issuer: config.issuer }, 'resource-api is listening');
  return {
    log,
    port: running.port,
    metricsPort: metrics.port,
    async stop() {
      await running.stop();
      keys.stop();
      clocks.stop();
      await Promise.all([telling.stop(), usage.stop(), reading.stop()]);
      await redis?.stop();
      await reads.close();
      await metrics.stop();
      await tracing?.stop();
    },
  };
}

interface OpenedReads {
  /** Where questions are read. Closing it closes the primary. */
  readonly reads: Database;
  readonly replicas: readonly ReadReplica[];
  /** How many databases answer questions now. */
  readonly sources: () => number;
}

function openReads(
  { database: location, readReplicas }: ResourceApiConfig,
  primary: Database,
  observed: Observation,
  recordRead: RecordRead,
  log: Log,
): OpenedReads {
  if (location.kind !== 'postgres' || readReplicas.length === 0) {
    return { reads: primary, replicas: [], sources: () => 1 };
  }
  const opened = readReplicas.map((url) =>
    observed.replica(openReadReplica({ ...location, url }, 'cls-resource-api', log)),
  );
  const reads = readsOnReplicas(primary, opened, { log, recordRead });
  return { reads, replicas: reads.replicas, sources: () => reads.sources };
}

/** What all questions need of the book itself finds a connection that no question has. */
function sharedOut(poolSize: number): number {
  return Math.max(1, poolSize - Math.ceil(poolSize / 5));
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
