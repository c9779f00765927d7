import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { newId } from '@cls/shared/new-id';
import { type AttemptResult, attemptResult, type SendResult } from '@cls/shared/send-attempt';
import type { Channel, ClaimedNotice, NoticeOutbox } from './notice-outbox.ts';
import type { DueNotice } from './notice-stage.ts';

/** Sends a notice once, within `SEND_MAX_MS`. Never throws. */
export type SendNotice = (notice: ClaimedNotice, now: Date) => Promise<SendResult>;

export interface DeliveryDeps {
  readonly outbox: NoticeOutbox;
  readonly senders: Readonly<Record<Channel, SendNotice>>;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly isStopping: () => boolean;
}

/** Longer than any attempt lasts, also where the clocks of two replicas differ. */
const LEASE_MS = 300_000;
/** Sent side by side: one receiver that hangs does not hold up the others. */
const LANES = 4;

/** Sends what is due now and nobody else sends. What cannot be sent is tried again later. */
export async function deliverNotices(
  deps: DeliveryDeps,
  due: () => readonly DueNotice[],
): Promise<void> {
  const lanes = Array.from({ length: LANES }, () => deliverInTurn(deps, due));
  // One that fails leaves the others at work: they are waited for, too.
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

async function deliverInTurn(deps: DeliveryDeps, due: () => readonly DueNotice[]): Promise<void> {
  const { outbox, clock, isStopping } = deps;
  while (!isStopping()) {
    const claimedAt = clock.now();
    const lease = { id: newId('lease'), until: new Date(claimedAt.getTime() + LEASE_MS) };
    const notice = await outbox.claim(due(), lease, claimedAt);
    if (notice === undefined) return;
    const sent = await deps.senders[notice.channel](notice, clock.now());
    const result = attemptResult(sent, notice.attempts, clock.now(), deps.random());
    logResult(deps.log, notice, result);
    await outbox.record(notice.id, lease.id, result, clock.now());
  }
}

/** The target is not named: the path of a webhook may be a secret of its owner. */
function logResult(log: Log, notice: ClaimedNotice, { outcome, answer }: AttemptResult): void {
  const { id, customer, channel, stage, attempts } = notice;
  const fields = { notice: id, customer, channel, stage, attempts, answer };
  if (outcome === 'delivered') log.info(fields, 'notice of a version delivered');
  else if (outcome === 'pending')
    log.warn(fields, 'notice of a version not delivered; trying again');
  else log.error(fields, 'notice of a version not delivered; given up');
}
