import type { Log } from '@cls/shared/log';

/** Work that an answer must not wait for, so that its time tells nothing. */
export interface Background {
  run(work: () => Promise<void>): void;
  /** Resolves when all that was begun has ended. */
  settle(): Promise<void>;
}

/** Begun and not ended, at the most: what is beyond is dropped, and told. */
const RUNNING_MAX = 200;

export function background(log: Log): Background {
  const running = new Set<Promise<void>>();
  return {
    run(work) {
      if (running.size >= RUNNING_MAX) {
        log.error({ running: running.size }, 'background work was dropped: too much is under way');
        return;
      }
      const done = new Promise<void>((resolve) => setImmediate(resolve))
        .then(work)
        .catch((err: unknown) => log.error({ err }, 'background work failed'))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settle() {
      await Promise.all(running);
    },
  };
}
