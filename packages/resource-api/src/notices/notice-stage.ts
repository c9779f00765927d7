import { DAY_MS } from '@cls/shared/clock';
import type { Registry } from '../lifecycle/registry.ts';
import type { Change, Release, VersionId } from '../lifecycle/release.ts';

/** A version is deprecated without a date of its end; it ends; `latest` becomes it. */
export type NoticeEvent = 'deprecation' | 'retirement' | 'promotion';

/** Each stage follows the one before it. */
export const STAGES = ['announcement', '90 days', '30 days', '7 days', '1 day', 'retired'] as const;
export type NoticeStage = (typeof STAGES)[number];

/** An event that customers are told about. Another date is another event. */
export interface NoticeSubject {
  readonly event: NoticeEvent;
  /** The version that ends, or that `latest` will be. */
  readonly version: VersionId;
  readonly happensAt: string;
}

/** The newest stage of an event whose time has come: what is sent now, and to whom. */
export interface DueNotice extends NoticeSubject {
  readonly stage: NoticeStage;
  /** What the customers who are told ask for: the version, or `latest`. */
  readonly asked: string;
  /** What answers them now, and what they are to use. */
  readonly from: Release;
  readonly to: Release;
  /** Everything that differs between the two. */
  readonly changes: readonly Change[];
}

/** A customer is told when its last use is not older. */
export const RECENT_DAYS = 180;

const DAYS_BEFORE: readonly (readonly [NoticeStage, number])[] = [
  ['1 day', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
];

/** The first of some days that end today, by default that of recent use: such as `2026-05-28`. */
export function firstRecentDay(now: Date, days = RECENT_DAYS): string {
  return new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

export function stageOrder(stage: NoticeStage): number {
  return STAGES.indexOf(stage);
}

/** One notice at most for each event: stages that were missed are not made up for. */
export function dueNotices(registry: Registry, now: Date): readonly DueNotice[] {
  return registry.releases.flatMap((release) => [
    ...promotionOf(registry, release, now),
    ...endOf(registry, release, now),
  ]);
}

function promotionOf(registry: Registry, release: Release, now: Date): readonly DueNotice[] {
  const { id, promotesAt } = release;
  if (release === registry.releases[0] || now.getTime() >= Date.parse(promotesAt)) return [];
  const from = registry.latest(now);
  return [
    {
      ...{ event: 'promotion', version: id, happensAt: promotesAt, asked: 'latest' },
      stage: stageBefore(promotesAt, now),
      ...{ from, to: release, changes: changesBetween(registry, from, release) },
    },
  ];
}

function endOf(registry: Registry, release: Release, now: Date): readonly DueNotice[] {
  const { id, deprecatedAt, retiresAt } = release;
  if (deprecatedAt === undefined) return [];
  // Before the successor's release, it is the one that comes next.
  const next = registry.releases[registry.releases.indexOf(release) + 1];
  const to = registry.successorOf(release, now) ?? next ?? release;
  const changes = changesBetween(registry, release, to);
  const common = { version: id, asked: id, from: release, to, changes } as const;
  if (retiresAt === undefined) {
    const stage = 'announcement';
    return [{ ...common, event: 'deprecation', happensAt: deprecatedAt, stage }];
  }
  const retirement = { ...common, event: 'retirement', happensAt: retiresAt } as const;
  if (registry.statusOf(release, now) !== 'Retired') {
    return [{ ...retirement, stage: stageBefore(retiresAt, now) }];
  }
  const since = registry.retiredAt(release)?.getTime() ?? now.getTime();
  const isOver = now.getTime() - since > RECENT_DAYS * DAY_MS;
  return isOver ? [] : [{ ...retirement, stage: 'retired' }];
}

function stageBefore(instant: string, now: Date): NoticeStage {
  const days = (Date.parse(instant) - now.getTime()) / DAY_MS;
  return DAYS_BEFORE.find(([, before]) => days <= before)?.[0] ?? 'announcement';
}

function changesBetween({ releases }: Registry, from: Release, to: Release): readonly Change[] {
  const [first, last] = [releases.indexOf(from), releases.indexOf(to)];
  return releases.slice(first + 1, last + 1).flatMap(({ changes }) => changes);
}
