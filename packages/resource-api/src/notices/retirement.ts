import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import type { Registry, RetiredAt } from '../lifecycle/registry.ts';
import type { Release } from '../lifecycle/release.ts';
import type { CallerUse, UsageSummaries } from '../usage/version-usage.ts';
import { affectedCalls, lastDayOf } from './affected-calls.ts';
import type { NoticeOutbox } from './notice-outbox.ts';
import { firstRecentDay, type NoticeSubject } from './notice-stage.ts';

/** That a version may retire at a date. Instants are RFC 3339 in UTC. */
export interface RetirementDecision {
  readonly version: string;
  readonly retiresAt: string;
  /** From then on it answers 410; no earlier than its date. */
  readonly effectiveAt: string;
  /** `cleared`: every customer with recent use was told. */
  readonly decision: 'cleared' | 'forced';
  readonly decidedAt: string;
  /** Of a forced one. */
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** Customers with recent use who were not told. */
  readonly untold: readonly string[];
}

export interface RetirementRecords {
  list(): Promise<readonly RetirementDecision[]>;
  /** The first decision for a version and date stands. @returns the one that stands. */
  decide(decision: RetirementDecision): Promise<RetirementDecision>;
}

/** A customer that used a version lately and has no notice that was delivered. */
export type UntoldCustomer = Pick<CallerUse, 'customer' | 'requests' | 'lastDay'>;

/** All replicas know a decision by then: they look for one every few seconds. */
const SPREAD_MS = 60_000;
/** So long before its date a version is looked at, so that it can retire on time. */
const LEAD_MS = 2 * SPREAD_MS;

export function untoldCustomers(
  release: Release,
  recentUse: readonly CallerUse[],
  told: ReadonlySet<string>,
): readonly UntoldCustomer[] {
  const calls = affectedCalls(recentUse, { asked: release.id, changes: [] });
  const untold = [...calls].filter(([customer]) => !told.has(customer));
  return untold.map(([customer, own]) => ({
    customer,
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    lastDay: lastDayOf(own),
  }));
}

/** What a customer must have been told before the version retires. */
export function retirementOf({ id, retiresAt = '' }: Release): NoticeSubject {
  return { event: 'retirement', version: id, happensAt: retiresAt };
}

/** No earlier than every replica can know it. */
export function effectiveAt(retiresAt: string, now: Date): string {
  const instant = Math.max(Date.parse(retiresAt), now.getTime() + SPREAD_MS);
  // Whole seconds, as everywhere in the product.
  return `${new Date(Math.ceil(instant / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

export interface Retirements {
  readonly retiredAt: RetiredAt;
  /** Reads what was decided. @throws when the store does not answer: what was known stays. */
  refresh(): Promise<void>;
  /**
   * Decides what can be decided now; a version with customers who were not told goes on.
   * @returns whether there is one.
   */
  decide(registry: Registry): Promise<boolean>;
}

export interface RetirementDeps {
  readonly records: RetirementRecords;
  readonly outbox: Pick<NoticeOutbox, 'toldOf'>;
  readonly usage: UsageSummaries;
  readonly clock: Clock;
  readonly log: Log;
}

/** The decisions, as this process knows them. */
export function retirements(deps: RetirementDeps): Retirements {
  const { records, outbox, usage, clock, log } = deps;
  let known: ReadonlyMap<string, Date> = new Map();
  const retiredAt: RetiredAt = (release) => known.get(keyOf(release));
  const refresh = async () => {
    known = new Map(
      (await records.list()).map(({ version, retiresAt, effectiveAt: from }) => [
        keyOf({ id: version, retiresAt }),
        new Date(from),
      ]),
    );
  };
  return {
    retiredAt,
    refresh,
    async decide({ releases }) {
      const now = clock.now();
      let isHeld = false;
      for (const release of releases) {
        const { id, retiresAt } = release;
        if (retiresAt === undefined || retiredAt(release) !== undefined) continue;
        if (now.getTime() < Date.parse(retiresAt) - LEAD_MS) continue;
        const recentUse = await usage.summarize(firstRecentDay(now), [id]);
        const told = await outbox.toldOf(retirementOf(release));
        const untold = untoldCustomers(release, recentUse, told).map(({ customer }) => customer);
        if (untold.length > 0) {
          isHeld = true;
          log.error(
            { version: id, retiresAt, untold },
            'a version does not retire: customers who use it were not told; see cls-api versions retire',
          );
          continue;
        }
        const decision = await records.decide({
          ...{ version: id, retiresAt, effectiveAt: effectiveAt(retiresAt, now), untold: [] },
          ...{ decision: 'cleared', decidedAt: now.toISOString(), decidedBy: null, reason: null },
        });
        log.info(
          { version: id, effectiveAt: decision.effectiveAt },
          'a version retires: every customer who used it lately was told',
        );
      }
      await refresh();
      return isHeld;
    },
  };
}

function keyOf({ id, retiresAt }: { readonly id: string; readonly retiresAt?: string }): string {
  return `${id} ${retiresAt === undefined ? '' : Date.parse(retiresAt)}`;
}
