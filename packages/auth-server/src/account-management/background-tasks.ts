import { randomInt } from 'node:crypto';
import type { Log } from '@cls/shared/log';

/** Work that an answer must not wait for, so that its time shows nothing. */
export interface BackgroundTasks {
  /** Runs within a second, at a random time: the next request must not show it by being slower. */
  run(work: () => Promise<void>): void;
  /** Begins at once what still waits, and resolves when all has ended. */
  settle(): Promise<void>;
}

/** Limit of tasks waiting or under way: further ones are dropped, with a log line. */
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
        log.error({ running: running.size }, 'a background task was dropped: too many are running');
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
