import type { Log } from '@cls/shared/log';
import { regularlyOrWarn } from '@cls/shared/regularly';
import type { AuditChain } from './audit-chain.ts';

const INTERVAL_MS = 10_000;
/** So many replicas make no more links than one. */
const PAUSE_S = 9;
/** How often a replica writes a head to the log, which other people keep. */
const TELL_MS = 3_600_000;

/** Chains the audit's events off the path of requests. One replica at a time does it, whichever comes first. */
export function sealRegularly(
  chain: Pick<AuditChain, 'seal'>,
  log: Log,
): { stop(): Promise<void> } {
  let toldAt = Number.NEGATIVE_INFINITY;
  const seal = async (isStopping: () => boolean) => {
    let link = await chain.seal(PAUSE_S);
    while (link?.more === true && !isStopping()) link = await chain.seal(0);
    if (link === undefined || performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log.info({ head: `${link.hash}:${link.number}` }, 'head of the audit chain');
  };
  return regularlyOrWarn(seal, INTERVAL_MS, log, {
    begins: 'audit events cannot be chained; trying again',
    continues: 'audit events cannot be chained',
    ends: 'audit events are chained again',
  });
}
