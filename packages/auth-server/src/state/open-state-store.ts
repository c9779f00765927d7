import type { Log } from '@cls/shared/log';
import { type ObserveCommand, observeIoredis } from '@cls/shared/metrics/redis-commands';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type { RedisSettings } from './connect-redis.ts';
import { redisStateStore } from './redis-state-store.ts';
import { sqlStateStore } from './sql-state-store.ts';
import type { StateStore } from './state-store.ts';

export interface StateStoreSettings extends RedisSettings {
  readonly redisUrl: Secret | undefined;
  readonly redisWaitReplicas: number;
}

/** Redis where it is configured, else the service's own database. */
export async function openStateStore(
  { redisUrl, redisWaitReplicas, ...settings }: StateStoreSettings,
  database: Database,
  log: Log,
  observe?: ObserveCommand,
): Promise<StateStore> {
  if (redisUrl === undefined) {
    return sqlStateStore(database, (err) =>
      log.warn({ err }, 'expired protocol state cannot be deleted'),
    );
  }
  // The library takes a tenth of a second to load, and most commands need it for nothing.
  const { connectRedis } = await import('./connect-redis.ts');
  const redis = await connectRedis(redisUrl, settings, log);
  if (observe !== undefined) observeIoredis(redis, observe);
  return redisStateStore(redis, redisWaitReplicas);
}
