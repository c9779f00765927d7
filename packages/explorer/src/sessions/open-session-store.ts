import { systemClock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { observeIoredis } from '@cls/shared/metrics/redis-commands';
import type { Secret } from '@cls/shared/secret';
import type { Observation } from '@cls/shared/service/observation';
import { type DatabaseLocation, openDatabase } from '@cls/shared/service/open-database';
import { readSchema } from '@cls/shared/sql/migrate';
import { memorySessionStore } from './memory-session-store.ts';
import type { SessionStore } from './session-store.ts';
import { sqlSessionStore } from './sql-session-store.ts';

/** The SQL files, from where the compiled file lies: dist/src/sessions. */
export const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

export interface SessionStoreSettings {
  readonly redisUrl: Secret | undefined;
  readonly redisTimeoutMs: number;
  readonly database: DatabaseLocation;
}

/** Redis where it is configured, else PostgreSQL where that is; without both, the memory of this process. */
export async function openSessionStore(
  { redisUrl, redisTimeoutMs, database: location }: SessionStoreSettings,
  log: Log,
  observed: Pick<Observation, 'database' | 'command'>,
): Promise<SessionStore> {
  if (redisUrl !== undefined) {
    const { connectRedis } = await import('@cls/shared/service/connect-redis');
    const { redisSessionStore } = await import('./redis-session-store.ts');
    const settings = { connectionName: 'cls-explorer', commandTimeout: redisTimeoutMs };
    const redis = await connectRedis(redisUrl, settings, log);
    if (observed.command !== undefined) observeIoredis(redis, observed.command);
    return redisSessionStore(redis);
  }
  if (location.kind === 'embedded') return memorySessionStore(systemClock);
  const schema = readSchema(MIGRATIONS);
  const database = observed.database(await openDatabase(location, 'cls-explorer', schema, log));
  const store = sqlSessionStore(database, (err) =>
    log.warn({ err }, 'expired sessions cannot be deleted'),
  );
  return {
    ...store,
    async close() {
      await store.close();
      await database.close();
    },
  };
}
