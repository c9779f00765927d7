import { type CallersUsage, callersUsage } from './caller-usage.ts';
import type { SharedWindow } from './rate-limit.ts';

export const WINDOW_S = 60;

/** One process's own window. A key's window begins with its first points and is not extended. */
export function memoryWindow(limit: number, usageOf: CallersUsage = callersUsage()): SharedWindow {
  return {
    async take(key, points) {
      const usage = usageOf(key);
      const nowMs = performance.now();
      const begun = usage.window !== undefined && nowMs < usage.window.endsMs && usage.window;
      const window = begun || { points: 0, endsMs: nowMs + WINDOW_S * 1_000 };
      window.points += points;
      usage.window = window;
      return windowAnswer(limit, points, window.points, window.endsMs - nowMs);
    },
  };
}

/** Points are counted beyond the limit too, so the last lease is the remainder. */
export function windowAnswer(limit: number, points: number, counted: number, resetMs: number) {
  const over = Math.max(0, counted - limit);
  return { taken: Math.max(0, points - over), left: Math.max(0, limit - counted), resetMs };
}
