import type { Log } from './log.ts';

/** How long one line stands for all failures. */
const QUIET_MS = 60_000;
/** An outage has ended when this has passed without a failure: one node of several may go on failing. */
const SETTLE_MS = 5_000;

export interface OutageWords {
  readonly level: 'warn' | 'error';
  /** The first failure. */
  readonly begins: string;
  /** Once a minute, of the failures in that minute. They may be over by then. */
  readonly continues: string;
  /** At `info`. */
  readonly ends: string;
}

export interface OutageLog {
  /** @param why fields of the line. @param once fields of the line about the first failure alone. */
  failed(why: object, once?: object): void;
  /** What had failed has answered. Costs nothing where no outage was reported. */
  answered(): void;
  /** It failed again, for nobody who waited: this failure is not counted. */
  failedUnasked(): void;
  /** Whether an outage has begun and its end is not yet certain. */
  readonly lasts: boolean;
}

/** Without the stack. The reason may change while an outage lasts: a server that is down, then starting, then full. */
export function whyFailed(error: NodeJS.ErrnoException): object {
  const { message, code, name, cause } = error;
  // Node's error has no message where each address of a name has refused the connection.
  const reason = message === '' ? (code ?? name) : message;
  return cause instanceof Error ? { reason, cause: cause.message } : { reason };
}

/**
 * The lines about something that does not answer for a while: the first failure is written at once, what
 * follows is counted, and one line a minute has the number (`cls.count`). One line at `info` says that it
 * answers again, and after how long (`cls.lasted_s`).
 */
export function outageLog(log: Log, { level, begins, continues, ends }: OutageWords): OutageLog {
  let count = 0;
  let last: object = {};
  /** A line about failures was written within the last minute. */
  let quiet = false;
  /** A line about failures was written, and none about their end. */
  let reported = false;
  let beganMs: number | undefined;
  let lastedS = 0;
  let settling: NodeJS.Timeout | undefined;

  const write = (fields: object, message: string) => {
    quiet = true;
    reported = true;
    setTimeout(report, QUIET_MS).unref();
    log[level](fields, message);
  };
  const report = () => {
    quiet = false;
    if (count === 0) return;
    const fields = { count, ...last };
    count = 0;
    write(fields, continues);
    // It ended within the minute, and its beginning had no line of its own.
    if (beganMs === undefined) end();
  };
  const end = () => {
    beganMs = undefined;
    if (!reported) return;
    reported = false;
    log.info(count === 0 ? { lastedS } : { count, lastedS }, ends);
    count = 0;
  };
  const unsettle = () => {
    clearTimeout(settling);
    settling = undefined;
  };
  return {
    failed(why, once = {}) {
      unsettle();
      beganMs ??= performance.now();
      last = why;
      if (quiet) count += 1;
      else write({ ...why, ...once }, begins);
    },
    answered() {
      if (beganMs === undefined || settling !== undefined) return;
      lastedS = Math.round((performance.now() - beganMs) / 100) / 10;
      settling = setTimeout(() => {
        settling = undefined;
        end();
      }, SETTLE_MS);
      settling.unref();
    },
    failedUnasked: unsettle,
    get lasts() {
      return beganMs !== undefined;
    },
  };
}
