import { type CallersUsage, callersUsage } from './caller-budget.ts';
import type { SharedWindow } from './rate-limit.ts';

export const WINDOW_S = 60;

/** One process's own window. A key's window begins with its first points and is not extended. */
export function memoryWindow(limit: number, usageOf: CallersUsage = callersUsage()): SharedWindow {
  return {
    async take(key, points) {
      const usage = usageOf(key);
      const nowMs = performance.now();
      const leftMs = ({ begunMs }: { begunMs: number }) => WINDOW_S * 1_000 - (nowMs - begunMs);
      const begun = usage.window !== undefined && leftMs(usage.window) > 0 && usage.window;
      const window = begun || { points: 0, begunMs: nowMs };
      window.points += points;
      usage.window = window;
      return windowAnswer(limit, points, window.points, leftMs(window));
    },
  };
}

/** Points are counted beyond the limit too, so the last lease is the remainder. */
export function windowAnswer(limit: number, points: number, counted: number, resetMs: number) {
  const over = Math.max(0, counted - limit);
  return { taken: Math.max(0, points - over), left: Math.max(0, limit - counted), resetMs };
}
