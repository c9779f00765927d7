import type { Log } from '../log.ts';
import type { OnTokenAhead } from './verify-token.ts';

const QUIET_MS = 60_000;

/**
 * One log line a minute, however many tokens are refused: it names the clock, and how many good
 * tokens it has cost since the line before.
 */
export function warnOfClock(log: Log): OnTokenAhead {
  let refused = 0;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (aheadS) => {
    refused += 1;
    if (performance.now() - warnedAtMs < QUIET_MS) return;
    log.warn(
      { aheadS, refused },
      'tokens of the issuer are refused because their time is ahead of this machine’s clock: set the clock of this machine or of the auth-server, or raise CLOCK_TOLERANCE_S',
    );
    warnedAtMs = performance.now();
    refused = 0;
  };
}
