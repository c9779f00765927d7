import type { CallersUsage } from './caller-budget.ts';
import type { SharedWindow } from './rate-limit.ts';
import type { RedisScripts } from './redis-connection.ts';
import { memoryWindow, WINDOW_S, windowAnswer } from './shared-window.ts';

/** One key, so that it runs on one node of a Cluster. What counts up also begins the window. */
const COUNT = `
  local counted = redis.call('INCRBY', KEYS[1], ARGV[1])
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    left = tonumber(ARGV[2])
  end
  return {counted, left}`;
const PREFIX = 'cls:api:rate:';

/**
 * The window of all replicas, in Redis. While Redis is down each replica counts by itself: a
 * limit that is briefly too generous is better than no service.
 */
export function redisWindow(
  limit: number,
  redis: RedisScripts,
  usageOf?: CallersUsage,
): SharedWindow {
  const own = memoryWindow(limit, usageOf);
  const count = async (key: string, points: number): Promise<[number, number]> => {
    const values = [`${points}`, `${WINDOW_S * 1000}`];
    const answer = await redis.run(COUNT, [`${PREFIX}${key}`], values);
    const [counted, leftMs] = answer as [number, number];
    return [Number(counted), Number(leftMs)];
  };
  return {
    take: (key, points) =>
      count(key, points).then(
        ([counted, resetMs]) => windowAnswer(limit, points, counted, resetMs),
        () => own.take(key, points),
      ),
  };
}
