import type { Server } from 'node:http';

/** Turns of the event loop, each with a new connection, for which requests wait before some begin. */
const TURNS = 64;
/** What such a round may take: fewer requests begin in the next one where it took longer. */
const ROUND_MS = 25;
const BEGIN_MAX = 32;

export interface RequestStarts {
  /** Requests that wait to begin. */
  readonly waiting: number;
  /**
   * Begins work on a request: at once, or when the connections that wait were taken. @param begin false
   * where the request needed no work.
   */
  begin(begin: () => boolean): void;
}

/**
 * Takes connections before it begins requests. Node takes one connection in each turn of the event
 * loop (libuv 1.45 and newer). Where each turn also works on requests, a burst of connections waits
 * unseen in the kernel until all the work before it is done, and the limit of requests under way is
 * never reached: nobody is refused, and everybody waits. So while each turn brings a connection,
 * requests are read, counted and refused, and few begin.
 */
export function acceptFirst(server: Server): RequestStarts {
  const waiting: (() => boolean)[] = [];
  let accepted = false;
  let scheduled = false;
  let turns = 0;
  let beginAtOnce = BEGIN_MAX;
  let sinceMs = 0;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  };
  const turn = () => {
    scheduled = false;
    const more = accepted;
    accepted = false;
    if (waiting.length === 0) return;
    turns += 1;
    if (more && turns < TURNS) return schedule();
    const nowMs = performance.now();
    if (!more) beginAtOnce = BEGIN_MAX;
    else if (nowMs - sinceMs > ROUND_MS) beginAtOnce = Math.max(1, beginAtOnce >> 1);
    else beginAtOnce = Math.min(BEGIN_MAX, beginAtOnce * 2);
    for (let begun = 0; begun < beginAtOnce && waiting.length > 0; ) {
      if (waiting.shift()?.()) begun += 1;
    }
    [turns, sinceMs] = [0, nowMs];
    if (waiting.length > 0) schedule();
  };
  server.on('connection', () => {
    accepted = true;
    schedule();
  });
  return {
    get waiting() {
      return waiting.length;
    },
    begin(begin) {
      if (!accepted && waiting.length === 0) return void begin();
      if (waiting.length === 0) [turns, sinceMs] = [0, performance.now()];
      waiting.push(begin);
      schedule();
    },
  };
}
