import type { Log } from '../log.ts';
import { DatabaseUnavailable } from '../sql/database.ts';

/** How long one line stands for all refusals of an outage. */
const QUIET_MS = 60_000;

/** Writes why a request failed on our side. */
export type LogFault = (err: unknown, requestId: unknown) => void;

/**
 * An unexpected error is logged with its stack. When a store does not answer, every request fails
 * in the same way: one line is logged when that begins, then one a minute with the number of
 * requests.
 */
export function faultLog(log: Log): LogFault {
  let timer: NodeJS.Timeout | undefined;
  let refused = 0;
  const report = () => {
    timer = undefined;
    if (refused === 0) return;
    log.error({ refused }, 'a store that is needed still does not answer');
    refused = 0;
    rest();
  };
  const rest = () => {
    timer = setTimeout(report, QUIET_MS);
    timer.unref();
  };
  return (err, requestId) => {
    if (!(err instanceof DatabaseUnavailable)) {
      log.error({ err, requestId }, 'request failed');
      return;
    }
    if (timer !== undefined) {
      refused += 1;
      return;
    }
    const { message: reason, cause } = err;
    const because = cause instanceof Error ? { cause: cause.message } : {};
    log.error({ reason, ...because, requestId }, 'a store that is needed does not answer');
    rest();
  };
}
