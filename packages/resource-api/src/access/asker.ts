import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that waits for a piece of work. */
export interface Asker {
  /** The caller's name in limits and shares. */
  readonly name: string;
  /** Aborted when the caller's connection is closed. */
  readonly signal: AbortSignal;
}

/**
 * Every statement of a request has the same asker, and no question depends on it. So it travels
 * with the work, not through the signature of every function.
 */
const asking = new AsyncLocalStorage<Asker>();

export function askedBy<T>(asker: Asker, work: () => T): T {
  return asking.run(asker, work);
}

export function currentAsker(): Asker | undefined {
  return asking.getStore();
}

/** Keeps the asker for a stream, whose work is done when it is read, long after it was made. */
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
