import type { Log } from '@cls/shared/log';
import { whyFailed } from '@cls/shared/outage-log';
import type { Secret } from '@cls/shared/secret';
import { readBeforeTimeouts } from '@cls/shared/service/ioredis-timeouts';
import { parseRedisUrl, type RedisAddress } from '@cls/shared/service/redis-address';
import { redisOutage } from '@cls/shared/service/redis-outage';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { Cluster, Redis } from 'ioredis';

/** A request must get its answer, or its 503, soon: commands wait for no connection. */
const FAIL_FAST = {
  connectTimeout: 2_000,
  maxRetriesPerRequest: 1,
  connectionName: 'cls-explorer',
};
const CONNECTION = { lazyConnect: true, enableOfflineQueue: false };
const retryStrategy = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

/** @throws {DatabaseUnavailable} when it cannot be reached. */
export async function connectRedis(
  url: Secret,
  timeoutMs: number,
  log: Log,
): Promise<Redis | Cluster> {
  const redis = clientFor(parseRedisUrl(url.expose()), timeoutMs);
  readBeforeTimeouts(redis);
  const outage = redisOutage(log);
  redis.on('error', (error: Error) => outage.failed(whyFailed(error)));
  redis.on('ready', outage.answered);
  try {
    await redis.connect();
    return redis;
  } catch (cause) {
    redis.disconnect();
    throw new DatabaseUnavailable('REDIS_URL: Redis cannot be reached', { cause });
  }
}

function clientFor(address: RedisAddress, commandTimeout: number): Redis | Cluster {
  const { topology, nodes, tls, username, password, master = '', db } = address;
  const node = {
    ...FAIL_FAST,
    commandTimeout,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    ...(db === undefined ? {} : { db }),
  };
  if (topology === 'cluster') {
    const cluster = { redisOptions: node, clusterRetryStrategy: retryStrategy };
    return new Cluster([...nodes], { ...CONNECTION, ...cluster });
  }
  const server =
    topology === 'sentinel'
      ? { sentinels: [...nodes], name: master, enableTLSForSentinelMode: tls }
      : { ...nodes[0] };
  return new Redis({ ...CONNECTION, ...node, ...server, retryStrategy });
}
