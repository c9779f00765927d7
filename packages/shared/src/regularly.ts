import type { Log } from './log.ts';
import { type OutageWords, outageLog, whyFailed } from './outage-log.ts';

/**
 * Does the work again and again, one run at a time, without keeping the process alive for it.
 *
 * @param work never throws.
 */
export function regularly(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work().finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    /** Waits for the run that is under way. */
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** The same for work that may fail: while it fails, it is done again, and the log says so. */
export function regularlyOrWarn(
  work: (isStopping: () => boolean) => Promise<void>,
  everyMs: number,
  log: Log,
  words: Omit<OutageWords, 'level'>,
): { stop(): Promise<void> } {
  const outage = outageLog(log, { level: 'warn', ...words });
  let stopping = false;
  const runs = regularly(async () => {
    try {
      await work(() => stopping);
      outage.answered();
    } catch (error) {
      outage.failed(whyFailed(error as Error));
    }
  }, everyMs);
  return {
    stop() {
      stopping = true;
      return runs.stop();
    },
  };
}
