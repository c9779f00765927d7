import { randomInt } from 'node:crypto';
import type { Log } from '@cls/shared/log';

/**
 * Work that runs after the answer, so that the time of the answer does not show whether there was
 * any.
 */
export interface BackgroundTasks {
  /**
   * Runs the work at a random time within a second, so that a slower next request does not show it.
   */
  run(work: () => Promise<void>): void;
  /** Starts all waiting tasks at once, and resolves when every task has ended. */
  settle(): Promise<void>;
}

/** The most tasks that wait or run. Further ones are dropped, with a log line. */
const RUNNING_MAX = 2_000;
const DELAY_MAX_MS = 1_000;

export function createBackgroundTasks(log: Log): BackgroundTasks {
  const running = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  const turn = () =>
    new Promise<void>((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(begin, randomInt(DELAY_MAX_MS));
      waiting.add(begin);
    });
  return {
    run(work) {
      if (running.size >= RUNNING_MAX) {
        log.error(
          { running: running.size },
          'a background task was not started: too many are running',
        );
        return;
      }
      const done = turn()
        .then(work)
        .catch((err: unknown) => log.error({ err }, 'a background task failed'))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settle() {
      for (const begin of [...waiting]) begin();
      await Promise.all(running);
    },
  };
}
