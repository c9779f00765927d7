import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { createClient } from 'redis';
import type { SharedWindow } from './rate-limit.ts';

const WINDOW_S = 60;

/** One process's own window. */
export function memoryWindow(limit: number): SharedWindow {
  return windowOver(new RateLimiterMemory({ points: limit, duration: WINDOW_S }), limit);
}

/**
 * The window of all replicas, in Redis. While Redis is down each replica counts by itself: a
 * limit that is briefly too generous is better than no service.
 */
export async function redisWindow(
  limit: number,
  url: Secret,
  log: Log,
): Promise<{ window: SharedWindow; stop: () => Promise<void> }> {
  const client = createClient({
    url: url.expose(),
    disableOfflineQueue: true,
    pingInterval: 1_000,
    socket: { socketTimeout: 3_000, connectTimeout: 2_000, reconnectStrategy: () => 500 },
    commandOptions: { timeout: 500 },
  });
  client.on('error', (error: Error) => log.warn({ reason: error.message }, 'Redis failed'));
  // Connecting goes on in the background: a Redis that is down must not keep the API from starting.
  client.connect().catch(() => undefined);
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    keyPrefix: 'cls:api:rate',
    points: limit,
    duration: WINDOW_S,
    insuranceLimiter: new RateLimiterMemory({ points: limit, duration: WINDOW_S }),
  });
  return { window: windowOver(limiter, limit), stop: async () => client.destroy() };
}

function windowOver(limiter: RateLimiterAbstract, limit: number): SharedWindow {
  return {
    async take(key, points) {
      const result = await limiter.consume(key, points).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      // Points are counted up whether they were left or not: the last lease is what remained.
      const over = Math.max(0, result.consumedPoints - limit);
      const taken = Math.max(0, points - over);
      return { taken, left: result.remainingPoints, resetMs: result.msBeforeNext };
    },
  };
}
