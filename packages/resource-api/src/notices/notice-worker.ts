import { setTimeout as sleep } from 'node:timers/promises';
import { regularly } from '@cls/shared/regularly';
import type { Registry } from '../lifecycle/registry.ts';
import type { UsageSummaries } from '../usage/version-usage.ts';
import { type DeliveryDeps, deliverNotices } from './deliver-notices.ts';
import type { NoticeContacts } from './notice-outbox.ts';
import { type DueNotice, dueNotices, firstRecentDay } from './notice-stage.ts';
import { planNotices } from './plan-notices.ts';
import type { Retirements } from './retirement.ts';

export interface NoticeWorker {
  /**
   * Begins nothing new, and waits a while for what is under way. What takes longer is sent again when
   * its lease has ended.
   */
  stop(): Promise<void>;
}

export interface NoticeWorkerDeps extends Omit<DeliveryDeps, 'isStopping'> {
  readonly registry: () => Registry;
  readonly contacts: Pick<NoticeContacts, 'list'>;
  readonly usage: UsageSummaries;
  readonly retirements: Pick<Retirements, 'refresh' | 'decide'>;
  readonly policyUrl: string;
  /** Between two looks at what is due. */
  readonly everyMs: number;
}

/** New callers are found after so long; a new stage and a new contact at once. */
const PLAN_EVERY_MS = 3_600_000;
/** A version that could not retire is looked at again after so long. */
const DECIDE_EVERY_MS = 600_000;

/** A process that ends waits no longer for a receiver. */
const STOP_MAX_MS = 10_000;

/**
 * Every replica does all of it; the outbox and the records of decisions let each thing happen once.
 * Nothing is done while no version ends and none is to be promoted. A failure is logged once, and
 * the work goes on where it was when the store answers again.
 */
export function noticeWorker(deps: NoticeWorkerDeps): NoticeWorker {
  let stopping = false;
  const loops = [
    everyMs(
      deps,
      'notices of versions cannot be sent; trying again',
      noticeStep(deps, () => stopping),
    ),
    everyMs(
      deps,
      'the retirement of versions cannot be decided; trying again',
      retirementStep(deps),
    ),
  ];
  return {
    async stop() {
      stopping = true;
      const ended = Promise.all(loops.map((loop) => loop.stop()));
      await Promise.race([ended, sleep(STOP_MAX_MS, undefined, { ref: false })]);
    },
  };
}

/** One look at the notices: plans what is due where that is time, and sends what waits. */
export function noticeStep(deps: NoticeWorkerDeps, isStopping: () => boolean): () => Promise<void> {
  const { registry, clock } = deps;
  const planAgain = planStep(deps);
  return async () => {
    const now = clock.now();
    const due = dueNotices(registry(), now);
    if (due.length === 0) return;
    // Where the use cannot be counted, what waits is sent all the same.
    const [planned] = await Promise.allSettled([planAgain(due, now)]);
    await deliverNotices({ ...deps, isStopping }, () => dueNotices(registry(), clock.now()));
    if (planned.status === 'rejected') throw planned.reason;
  };
}

/** Plans when a stage begins or contacts change, and every hour: for new callers. */
function planStep(deps: NoticeWorkerDeps): (due: readonly DueNotice[], now: Date) => Promise<void> {
  const { usage, contacts, outbox, policyUrl, log } = deps;
  let last = { what: '', at: Number.NEGATIVE_INFINITY };
  let warned = '';
  return async (due, now) => {
    const events = due.map((one) => [one.event, one.version, one.happensAt, one.stage]);
    const known = await contacts.list();
    const what = JSON.stringify([events, known]);
    const age = now.getTime() - last.at;
    if (what === last.what && age >= 0 && age < PLAN_EVERY_MS) return;
    const asked = [...new Set(due.map((one) => one.asked))];
    const recentUse = await usage.summarize(firstRecentDay(now), asked);
    const reachable = new Set(known.map(({ customer }) => customer));
    const unreachable = await planNotices(outbox, reachable, due, recentUse, now, policyUrl);
    last = { what, at: now.getTime() };
    const warning = JSON.stringify([events, unreachable]);
    if (unreachable.length > 0 && warning !== warned) {
      log.warn(
        { customers: unreachable },
        'customers use a version that ends and have no contact; see cls-api versions contacts set',
      );
    }
    warned = warning;
  };
}

/** One look at the versions whose end has come. */
export function retirementStep({
  registry,
  clock,
  retirements,
}: NoticeWorkerDeps): () => Promise<void> {
  let heldAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const { releases, retiredAt } = registry();
    const open = releases.some(
      (one) => one.retiresAt !== undefined && retiredAt(one) === undefined,
    );
    if (!open) return;
    await retirements.refresh();
    const age = clock.now().getTime() - heldAt;
    if (age >= 0 && age < DECIDE_EVERY_MS) return;
    const isHeld = await retirements.decide(registry());
    heldAt = isHeld ? clock.now().getTime() : Number.NEGATIVE_INFINITY;
  };
}

/** One run at a time. */
function everyMs(
  { everyMs, log }: NoticeWorkerDeps,
  failure: string,
  step: () => Promise<void>,
): { stop(): Promise<void> } {
  let failing = false;
  const run = async () => {
    try {
      await step();
      failing = false;
    } catch (error) {
      if (!failing) log.error({ err: error }, failure);
      failing = true;
    }
  };
  return regularly(run, everyMs);
}
