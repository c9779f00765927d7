import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { Writable } from 'node:stream';
import { Abandoned, DatabaseUnavailable } from '@cls/shared/sql/database';

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

interface RequestWork {
  /** The caller's name in limits. */
  readonly name: string;
  /** Called once, when the answer was sent or the client is gone. */
  readonly end: () => void;
  /** Longest time for the answer, in milliseconds. */
  readonly answerMs: number;
}

/**
 * Does the work of a request. Its statements are cancelled, and those that wait never begin, when the
 * client closes the connection, or when the answer takes longer than its limit. A stream that the work
 * answers with has no limit of time.
 *
 * @throws {Abandoned} when the client closed the connection
 * @throws {DatabaseUnavailable} when the answer took too long
 */
export async function askedByRequest<T>(
  answer: Writable,
  { name, end, answerMs }: RequestWork,
  work: () => Promise<T>,
): Promise<T> {
  const aborter = new AbortController();
  // Each statement of the question that runs listens to it.
  setMaxListeners(0, aborter.signal);
  const closed = () => {
    end();
    if (!answer.writableFinished) aborter.abort();
  };
  if (answer.destroyed) closed();
  else answer.once('close', closed);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    aborter.abort();
  }, answerMs);
  try {
    return await askedBy({ name, signal: aborter.signal }, work);
  } catch (error) {
    if (!isLate || !(error instanceof Abandoned)) throw error;
    const seconds = answerMs / 1_000;
    throw new DatabaseUnavailable(`an answer took longer than ${seconds} s`, { cause: error });
  } finally {
    clearTimeout(limit);
  }
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
