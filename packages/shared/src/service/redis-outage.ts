import type { Log } from '../log.ts';
import { type OutageLog, outageLog } from '../outage-log.ts';

/** A client that cannot connect fails once or twice a second. */
export function redisOutage(log: Log): OutageLog {
  return outageLog(log, {
    level: 'warn',
    begins: 'Redis failed',
    continues: 'Redis failed in the last minute',
    ends: 'Redis answers again',
  });
}
