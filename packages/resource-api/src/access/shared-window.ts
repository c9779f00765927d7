import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedWindow } from './rate-limit.ts';

export const WINDOW_S = 60;

/** One process's own window. */
export function memoryWindow(limit: number): SharedWindow {
  const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_S });
  return {
    async take(key, points) {
      const result = await limiter.consume(key, points).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      return windowAnswer(limit, points, result.consumedPoints, result.msBeforeNext);
    },
  };
}

/** Points are counted beyond the limit too, so the last lease is the remainder. */
export function windowAnswer(limit: number, points: number, counted: number, resetMs: number) {
  const over = Math.max(0, counted - limit);
  return { taken: Math.max(0, points - over), left: Math.max(0, limit - counted), resetMs };
}
