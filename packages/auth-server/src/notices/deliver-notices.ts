import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { regularlyOrWarn } from '@cls/shared/regularly';
import { attemptResult, type SendResult } from '@cls/shared/send-attempt';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Channel, ClaimedNotice, CustomerNoticeOutbox } from './customer-notice.ts';

export interface NoticeDeliveryDeps {
  readonly outbox: CustomerNoticeOutbox;
  /** Each sends a notice once, in less than the lease. Never throws. */
  readonly send: Readonly<
    Record<Channel, (notice: ClaimedNotice, now: Date) => Promise<SendResult>>
  >;
  readonly audit: Pick<AuditLog, 'recordSafely'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each notice that is not tried again. */
  readonly onLost: () => void;
  /** From 0 to 1. */
  readonly random?: () => number;
}

const LOOK_EVERY_MS = 2_000;
const AT_ONCE = 8;
/** Longer than any attempt lasts, also where the clocks of two replicas differ. */
const LEASE_S = 300;

/**
 * Sends notices to customers while the service runs; every replica looks.
 *
 * @returns stops it: what is under way ends, and what is still due waits for the next start.
 */
export function deliverNoticesRegularly(deps: NoticeDeliveryDeps): { stop(): Promise<void> } {
  const deliverAll = (isStopping: () => boolean) => deliverNotices(deps, isStopping);
  return regularlyOrWarn(deliverAll, LOOK_EVERY_MS, deps.log, {
    begins: 'notices to customers cannot be read',
    continues: 'notices to customers could not be read in the last minute',
    ends: 'notices to customers are read again',
  });
}

/** Sends all that is due. */
export async function deliverNotices(
  deps: NoticeDeliveryDeps,
  isStopping: () => boolean = () => false,
): Promise<void> {
  while (!isStopping()) {
    const due = await deps.outbox.claim(AT_ONCE, LEASE_S, deps.clock.now());
    if (due.length === 0) return;
    // One that fails leaves the others at work: they are waited for, too.
    const ended = await Promise.allSettled(due.map((notice) => deliver(deps, notice)));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}

async function deliver(deps: NoticeDeliveryDeps, notice: ClaimedNotice): Promise<void> {
  const { outbox, send, audit, clock, log, onLost, random = Math.random } = deps;
  const { id, channel, customer, attempts, target } = notice;
  const sent: SendResult =
    target === ''
      ? { outcome: 'refused', answer: 'the contact was removed' }
      : await send[channel](notice, clock.now());
  const result = attemptResult(sent, attempts, clock.now(), random());
  // The target is not named: the path of a webhook may be a secret of its owner.
  const fields = { notice: id, customer, channel, attempts, answer: result.answer };
  if (result.outcome === 'pending') {
    log.warn(fields, 'a notice to a customer was not delivered; trying again');
  } else {
    const delivered = result.outcome === 'delivered';
    if (delivered) log.info(fields, 'a notice to a customer was delivered');
    else log.error(fields, 'a notice to a customer was not delivered; given up');
    // First: where the result cannot be kept, the notice is sent again, and its event is stored once.
    const type = delivered ? 'customer.notified' : 'customer.notice_given_up';
    const about = `${id} ${channel}`;
    await audit.recordSafely({ type, subject: customer, about, once: `${type} ${about}` });
    if (!delivered) onLost();
  }
  await outbox.record(notice, result, clock.now());
}
