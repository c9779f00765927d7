import { LRUCache } from 'lru-cache';
import { CALLERS_MAX, type SharedWindow } from './rate-limit.ts';

export const WINDOW_S = 60;

/** One process's own window. A key's window begins with its first points and is not extended. */
export function memoryWindow(limit: number): SharedWindow {
  const counts = new LRUCache<string, number>({
    max: CALLERS_MAX,
    ttl: WINDOW_S * 1_000,
    noUpdateTTL: true,
    ttlResolution: 0, // With a clock that stands for a millisecond, a window can seem too long.
  });
  return {
    async take(key, points) {
      const counted = (counts.get(key) ?? 0) + points;
      counts.set(key, counted);
      return windowAnswer(limit, points, counted, counts.getRemainingTTL(key));
    },
  };
}

/** Points are counted beyond the limit too, so the last lease is the remainder. */
export function windowAnswer(limit: number, points: number, counted: number, resetMs: number) {
  const over = Math.max(0, counted - limit);
  return { taken: Math.max(0, points - over), left: Math.max(0, limit - counted), resetMs };
}
