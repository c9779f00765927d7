import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Abandoned, DatabaseUnavailable } from '@cls/shared/sql/database';
import { type Asker, askedBy } from '../access/asker.ts';

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
  res: ServerResponse,
  { name, end, answerMs }: RequestWork,
  work: () => Promise<T>,
): Promise<T> {
  let aborter: AbortController | undefined;
  let isOver = false;
  let isLate = false;
  const giveUp = () => {
    isOver = true;
    aborter?.abort();
  };
  const closed = () => {
    end();
    if (!res.writableFinished) giveUp();
  };
  if (res.destroyed) closed();
  else res.once('close', closed);
  const asker: Asker = {
    name,
    // Made when some work needs it: a cached answer does not.
    get signal() {
      if (aborter === undefined) {
        aborter = new AbortController();
        // Each statement of the question that runs listens to it.
        setMaxListeners(0, aborter.signal);
      }
      if (isOver) aborter.abort();
      return aborter.signal;
    },
  };
  const limit = setTimeout(() => {
    isLate = true;
    giveUp();
  }, answerMs);
  try {
    return await askedBy(asker, work);
  } catch (error) {
    if (!isLate || !(error instanceof Abandoned)) throw error;
    const seconds = answerMs / 1_000;
    throw new DatabaseUnavailable(`an answer took longer than ${seconds} s`, { cause: error });
  } finally {
    clearTimeout(limit);
  }
}
