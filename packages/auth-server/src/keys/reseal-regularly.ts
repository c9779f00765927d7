import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { warnOfUnopened } from '@cls/shared/sql/reseal';
import type { AuditLog } from '../audit/audit-log.ts';
import { resealWith } from '../crypto/seal.ts';

export interface ResealDeps {
  readonly current: Secret;
  /** Undefined: no key is being replaced, and nothing is done. */
  readonly previous: Secret | undefined;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

const INTERVAL_MS = 3_600_000;

/**
 * Seals with the current KEY_ENCRYPTION_KEY what the previous one sealed: now, and each hour, since
 * a replica that still has the keys the other way round may seal meanwhile.
 */
export function resealRegularly(
  database: Database,
  { current, previous, audit, log }: ResealDeps,
): { stop(): Promise<void> } {
  if (previous === undefined) return { stop: async () => undefined };
  const seal = async () => {
    try {
      const resealed = await resealWith(database, current, previous);
      warnOfUnopened(log, resealed, 'KEY_ENCRYPTION_KEY');
      const { values } = resealed;
      if (values === 0) return;
      audit.record({ type: 'key.resealed', subject: 'key-encryption-key' });
      log.info({ values }, 'secrets are sealed with KEY_ENCRYPTION_KEY now');
    } catch (err) {
      log.warn(
        { err },
        'secrets cannot be sealed with KEY_ENCRYPTION_KEY; trying again in an hour',
      );
    }
  };
  let running = seal();
  const timer = setInterval(() => {
    running = running.then(seal);
  }, INTERVAL_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}
