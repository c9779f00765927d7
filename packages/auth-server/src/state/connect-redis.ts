import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { connectRedis as connect } from '@cls/shared/service/connect-redis';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Cluster, Redis } from 'ioredis';

export interface RedisSettings {
  readonly production: boolean;
  /** How long one command may take, in milliseconds. */
  readonly redisTimeoutMs: number;
}

/**
 * Refuses in production, and warns elsewhere, when a server may evict keys: an evicted mark of
 * consumption makes a spent code good again.
 *
 * @throws {DatabaseUnavailable} when Redis cannot be reached or would evict.
 */
export async function connectRedis(
  url: Secret,
  { production, redisTimeoutMs }: RedisSettings,
  log: Log,
): Promise<Redis | Cluster> {
  const settings = { connectionName: 'cls-auth-server', commandTimeout: redisTimeoutMs };
  const redis = await connect(url, settings, log);
  try {
    await assertKeepsKeys(redis, production, log);
    return redis;
  } catch (error) {
    redis.disconnect();
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable('REDIS_URL: Redis cannot be reached', { cause: error });
  }
}

async function assertKeepsKeys(
  redis: Redis | Cluster,
  production: boolean,
  log: Log,
): Promise<void> {
  // Not by `instanceof`: each package may have the library's classes for itself.
  const nodes = redis.isCluster ? (redis as Cluster).nodes('master') : [redis];
  const policies = await Promise.all(
    nodes.map(async (node) => /^maxmemory_policy:(\S+)/m.exec(await node.info('memory'))?.[1]),
  );
  if (policies.every((policy) => policy === 'noeviction')) return;
  const message =
    'REDIS_URL: Redis may evict keys; set its maxmemory-policy to noeviction, or spent codes become good again';
  if (production) throw new DatabaseUnavailable(message);
  log.warn({ policies }, message);
}
