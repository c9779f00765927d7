import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { connectRedis } from './connect-redis.ts';
import { redisStateStore } from './redis-state-store.ts';
import { sqlStateStore } from './sql-state-store.ts';
import type { StateStore } from './state-store.ts';

export interface StateStoreSettings {
  readonly redisUrl: Secret | undefined;
  readonly redisWaitReplicas: number;
  readonly production: boolean;
}

/** Redis where it is configured, else the service's own database. */
export async function openStateStore(
  { redisUrl, redisWaitReplicas, production }: StateStoreSettings,
  database: Database,
  log: Log,
): Promise<StateStore> {
  if (redisUrl === undefined) {
    return sqlStateStore(database, (err) => log.warn({ err }, 'sweeping expired state failed'));
  }
  return redisStateStore(await connectRedis(redisUrl, production, log), redisWaitReplicas);
}
