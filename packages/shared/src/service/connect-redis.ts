import { Cluster, Redis } from 'ioredis';
import type { Log } from '../log.ts';
import { whyFailed } from '../outage-log.ts';
import type { Secret } from '../secret.ts';
import { DatabaseUnavailable } from '../sql/database.ts';
import { readBeforeTimeouts } from './ioredis-timeouts.ts';
import { parseRedisUrl, type RedisAddress } from './redis-address.ts';
import { redisOutage } from './redis-outage.ts';

/**
 * The library's defaults queue commands for as long as Redis is away and wait for ever for one
 * that is frozen. A request must get its answer, or its 503, soon.
 */
const FAIL_FAST = { connectTimeout: 2_000, maxRetriesPerRequest: 1 };
const CONNECTION = { lazyConnect: true, enableOfflineQueue: false };
const retryStrategy = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

export interface RedisClientSettings {
  /** What Redis lists the connection as. */
  readonly connectionName: string;
  /** How long one command may take, in milliseconds. */
  readonly commandTimeout: number;
}

/**
 * Connects to the Redis that `url` names, as `parseRedisUrl` reads it.
 *
 * @throws {DatabaseUnavailable} when it cannot be reached.
 */
export async function connectRedis(
  url: Secret,
  settings: RedisClientSettings,
  log: Log,
): Promise<Redis | Cluster> {
  const redis = clientFor(parseRedisUrl(url.expose()), settings);
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

function clientFor(address: RedisAddress, settings: RedisClientSettings): Redis | Cluster {
  const { topology, nodes, tls, username, password, master = '', db } = address;
  const node = {
    ...FAIL_FAST,
    ...settings,
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
