import { releaseFaults } from './check-releases.ts';
import type { Release } from './release.ts';

export interface NoticePolicy {
  /** From deprecation to retirement. */
  readonly minNoticeDays: number;
}

type SupportStatus = 'Announced' | 'Supported' | 'Deprecated' | 'Retired';

/** What a `version_id` stands for at an instant. */
export type Resolution =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'served'; readonly isLatest: boolean; readonly release: Release }
  | { readonly kind: 'retired'; readonly isLatest: false; readonly release: Release }
  | {
      readonly kind: 'brownout';
      readonly isLatest: false;
      readonly release: Release;
      readonly until: string;
    };

/**
 * From when on a version that has an end is retired. Undefined: it goes on answering, also after its
 * date.
 */
export type RetiredAt = (release: Release) => Date | undefined;

/** The versions and what holds of them at an instant: the same on every replica. */
export interface Registry {
  /** Oldest first. */
  readonly releases: readonly Release[];
  /** What `latest` stands for. */
  latest(now: Date): Release;
  resolve(versionId: string, now: Date): Resolution;
  statusOf(release: Release, now: Date): SupportStatus;
  readonly retiredAt: RetiredAt;
  /** The next version that is served, for those who must leave this one. */
  successorOf(release: Release, now: Date): Release | undefined;
  /** The same text for as long as all of this stays as it is. */
  period(now: Date): string;
  /** Every `version_id` that is answered, oldest first, `latest` at the end. */
  servedIds(now: Date): readonly string[];
  /** The specification's table. */
  table(now: Date): readonly { versionId: string; support: string; retirement: string }[];
}

/** The number of a version: versions are compared by it, never by their ids' text. */
export function ordinalOf({ id }: Pick<Release, 'id'>): number {
  return Number(id.slice(1));
}

/**
 * @param retiredAt by its date alone where nobody decides.
 * @throws {Error} with every invariant that is broken.
 */
export function createRegistry(
  releases: readonly Release[],
  policy: NoticePolicy,
  retiredAt: RetiredAt = atItsDate,
): Registry {
  const faults = releaseFaults(releases, policy.minNoticeDays);
  const [first] = releases;
  if (first === undefined || faults.length > 0) {
    throw new Error(`the versions cannot be served: ${faults.join('; ')}`);
  }
  const byId = new Map<string, Release>(releases.map((release) => [release.id, release]));
  const isReleased = (release: Release, now: Date) =>
    release === first || reached(release.releasedAt, now);
  const latest = (now: Date) =>
    releases.findLast(({ promotesAt }) => reached(promotesAt, now)) ?? first;
  const statusOf = (release: Release, now: Date): SupportStatus => {
    if (!isReleased(release, now)) return 'Announced';
    if (isRetired(release, now)) return 'Retired';
    return reached(release.deprecatedAt, now) ? 'Deprecated' : 'Supported';
  };
  const isRetired = (release: Release, now: Date) =>
    reached(release.retiresAt, now) && now.getTime() >= (retiredAt(release)?.getTime() ?? Infinity);
  const isServed = (release: Release, now: Date) =>
    ['Supported', 'Deprecated'].includes(statusOf(release, now));
  const resolve = (versionId: string, now: Date): Resolution => {
    if (versionId === 'latest') return { kind: 'served', isLatest: true, release: latest(now) };
    const release = byId.get(versionId);
    if (release === undefined || !isReleased(release, now)) return { kind: 'unknown' };
    if (isRetired(release, now)) return { kind: 'retired', isLatest: false, release };
    const brownout = release.brownouts?.find(
      ({ from, to }) => reached(from, now) && !reached(to, now),
    );
    return brownout === undefined
      ? { kind: 'served', isLatest: false, release }
      : { kind: 'brownout', isLatest: false, release, until: brownout.to };
  };
  return {
    releases,
    latest,
    statusOf,
    retiredAt,
    resolve,
    successorOf: (release, now) =>
      releases.find((one) => ordinalOf(one) > ordinalOf(release) && isServed(one, now)),
    period: (now) =>
      [
        latest(now).id,
        ...releases.map((one) => `${statusOf(one, now)} ${resolve(one.id, now).kind}`),
      ].join(),
    servedIds: (now) => [
      ...releases.filter((release) => isServed(release, now)).map(({ id }) => id),
      'latest',
    ],
    table: (now) => [
      { versionId: 'latest', support: 'Supported', retirement: 'Never' },
      ...releases
        .filter((release) => isReleased(release, now))
        .map((release) => ({
          versionId: release.id,
          support: statusOf(release, now),
          retirement: release.retiresAt ?? 'N/A',
        })),
    ],
  };
}

function atItsDate({ retiresAt }: Release): Date | undefined {
  return retiresAt === undefined ? undefined : new Date(retiresAt);
}

function reached(instant: string | undefined, now: Date): boolean {
  return instant !== undefined && now.getTime() >= Date.parse(instant);
}
