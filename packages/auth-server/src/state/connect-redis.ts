import type { Log } from '@cls/shared/log';
import { whyFailed } from '@cls/shared/outage-log';
import type { Secret } from '@cls/shared/secret';
import { readBeforeTimeouts } from '@cls/shared/service/ioredis-timeouts';
import { parseRedisUrl, type RedisAddress } from '@cls/shared/service/redis-address';
import { redisOutage } from '@cls/shared/service/redis-outage';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { Cluster, Redis } from 'ioredis';

/**
 * The library's defaults queue commands for as long as Redis is away and wait for ever for one
 * that is frozen. A request must get its answer, or its 503, soon.
 */
const FAIL_FAST = {
  connectTimeout: 2_000,
  maxRetriesPerRequest: 1,
  connectionName: 'cls-auth-server',
};
const CONNECTION = { lazyConnect: true, enableOfflineQueue: false };
const retryStrategy = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

export interface RedisSettings {
  readonly production: boolean;
  /** How long one command may take, in milliseconds. */
  readonly redisTimeoutMs: number;
}

/**
 * Connects to the Redis that `url` names, as `parseRedisUrl` reads it.
 *
 * Refuses in production, and warns elsewhere, when a server may evict keys: an evicted mark of
 * consumption makes a spent code good again.
 *
 * @throws {DatabaseUnavailable} when it cannot be reached or would evict.
 */
export async function connectRedis(
  url: Secret,
  { production, redisTimeoutMs }: RedisSettings,
  log: Log,
): Promise<Redis | Cluster> {
  const redis = clientFor(parseRedisUrl(url.expose()), redisTimeoutMs);
  readBeforeTimeouts(redis);
  const outage = redisOutage(log);
  redis.on('error', (error: Error) => outage.failed(whyFailed(error)));
  redis.on('ready', outage.answered);
  try {
    await redis.connect();
    await assertKeepsKeys(redis, production, log);
    return redis;
  } catch (error) {
    redis.disconnect();
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable('REDIS_URL: Redis cannot be reached', { cause: error });
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
    return new Cluster([...nodes], {
      ...CONNECTION,
      redisOptions: node,
      clusterRetryStrategy: retryStrategy,
    });
  }
  const server =
    topology === 'sentinel'
      ? { sentinels: [...nodes], name: master, enableTLSForSentinelMode: tls }
      : { ...nodes[0] };
  return new Redis({ ...CONNECTION, ...node, ...server, retryStrategy });
}

async function assertKeepsKeys(
  redis: Redis | Cluster,
  production: boolean,
  log: Log,
): Promise<void> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    nodes.map(async (node) => /^maxmemory_policy:(\S+)/m.exec(await node.info('memory'))?.[1]),
  );
  if (policies.every((policy) => policy === 'noeviction')) return;
  const message =
    'REDIS_URL: Redis may evict keys; set its maxmemory-policy to noeviction, or spent codes become good again';
  if (production) throw new DatabaseUnavailable(message);
  log.warn({ policies }, message);
}
