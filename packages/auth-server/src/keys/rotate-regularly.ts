import { type Clock, DAY_MS } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { regularlyOrWarn } from '@cls/shared/regularly';
import type { AuditLog } from '../audit/audit-log.ts';
import { rotate } from './rotate.ts';
import type { SigningKeyStore } from './signing-key.ts';

/** A step may be late by as much. */
const INTERVAL_MS = 600_000;

export interface RotationDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs?: number;
}

/**
 * Replaces the signing key when it has become `days` old, step by step, and destroys private halves that another
 * build left in retired keys; every replica looks.
 *
 * @param days 0: rotations are the operator's, and none goes on by itself.
 */
export function rotateRegularly(
  keys: SigningKeyStore,
  days: number,
  { audit, clock, log, intervalMs = INTERVAL_MS }: RotationDeps,
): { stop(): Promise<void> } {
  const look = async () => {
    for (const kid of await keys.destroyRetired()) {
      log.info({ kid }, 'private half of a retired signing key destroyed');
    }
    if (days === 0) return;
    const oldest = clock.now().getTime() - days * DAY_MS;
    const { done } = await rotate(keys, audit, (key) => Date.parse(key.createdAt) <= oldest);
    for (const { type, kid } of done) log.info({ kid, step: type }, 'signing key rotated');
  };
  return regularlyOrWarn(look, intervalMs, log, {
    begins: 'the signing key cannot be rotated; trying again',
    continues: 'the signing key cannot be rotated',
    ends: 'the signing key can be rotated again',
  });
}
