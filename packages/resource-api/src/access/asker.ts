import { AsyncLocalStorage } from 'node:async_hooks';

/** Who waits for what a piece of work reads. */
export interface Asker {
  /** The caller's name in limits and shares. */
  readonly name: string;
  /** Aborted when the caller's connection is closed. */
  readonly signal: AbortSignal;
}

/**
 * Every statement of a request has the same asker, and no question is shaped by it: it goes with
 * the work and not through the signature of every function on the way.
 */
const asking = new AsyncLocalStorage<Asker>();

export function askedBy<T>(asker: Asker, work: () => T): T {
  return asking.run(asker, work);
}

export function currentAsker(): Asker | undefined {
  return asking.getStore();
}

/** Keeps the asker for work that a stream does when it is read, long after it was made. */
export function stillAsked<T>(items: AsyncGenerator<T, void>): AsyncIterable<T> {
  const asker = currentAsker();
  if (asker === undefined) return items;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => asking.run(asker, () => items.next()),
      return: () => asking.run(asker, () => items.return()),
    }),
  };
}
