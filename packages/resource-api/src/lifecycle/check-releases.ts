import { DAY_MS } from '@cls/shared/clock';
import { instantsOf, type Release } from './release.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** What is wrong with a list of releases: sentences. An empty list of them: nothing. */
export function releaseFaults(releases: readonly Release[], minNoticeDays: number): string[] {
  if (releases.length === 0) return ['there must be a version'];
  const names = releases.flatMap(({ changes }) => changes.map(({ name }) => name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...releases.flatMap((release, index) => [
      ...(release.id === `v${index + 1}` ? [] : [`${release.id}: versions are v1, v2, … in order`]),
      ...instantFaults(release),
      ...dateFaults(release, releases[index - 1], releases[index + 1], minNoticeDays),
      ...brownoutFaults(release),
      ...changeFaults(release, index),
    ]),
    ...twice.map((name) => `${name}: two changes have this name`),
  ];
}

function instantFaults(release: Release): string[] {
  return instantsOf(release)
    .filter((date) => !INSTANT.test(date) || Number.isNaN(Date.parse(date)))
    .map((date) => `${release.id}: expected an instant as 2026-07-01T00:00:00Z, got ${date}`);
}

function dateFaults(
  release: Release,
  before: Release | undefined,
  after: Release | undefined,
  minNoticeDays: number,
): string[] {
  const { id, releasedAt, promotesAt, deprecatedAt, retiresAt } = release;
  const noticeDays =
    deprecatedAt === undefined || retiresAt === undefined
      ? Number.POSITIVE_INFINITY
      : (Date.parse(retiresAt) - Date.parse(deprecatedAt)) / DAY_MS;
  return [
    promotesAt < releasedAt && 'promotesAt is before releasedAt',
    before === undefined && promotesAt !== releasedAt && 'the first version is latest at once',
    before !== undefined && releasedAt < before.releasedAt && `released before ${before.id}`,
    before !== undefined &&
      promotesAt <= before.promotesAt &&
      `promoted no later than ${before.id}`,
    retiresAt !== undefined && deprecatedAt === undefined && 'retiresAt needs deprecatedAt',
    noticeDays < minNoticeDays && `retiresAt is less than ${minNoticeDays} days after deprecatedAt`,
    deprecatedAt !== undefined && after === undefined && 'the newest version cannot be deprecated',
    deprecatedAt !== undefined &&
      after !== undefined &&
      deprecatedAt < after.promotesAt &&
      `deprecated before ${after.id} is latest`,
  ].flatMap((fault) => (fault === false ? [] : [`${id}: ${fault}`]));
}

function brownoutFaults({ id, deprecatedAt, retiresAt, brownouts = [] }: Release): string[] {
  if (brownouts.length === 0) return [];
  if (deprecatedAt === undefined || retiresAt === undefined) {
    return [`${id}: brownouts need deprecatedAt and retiresAt`];
  }
  const edges = [deprecatedAt, ...brownouts.flatMap(({ from, to }) => [from, to]), retiresAt];
  const inOrder = edges.every((edge, index) => index === 0 || (edges[index - 1] ?? '') < edge);
  return inOrder ? [] : [`${id}: brownouts follow one another between deprecatedAt and retiresAt`];
}

function changeFaults({ id, changes }: Release, index: number): string[] {
  if (index === 0) return changes.length === 0 ? [] : [`${id}: the first version has no changes`];
  return [
    ...(changes.length === 0 ? [`${id}: a version needs a change that is incompatible`] : []),
    ...changes
      .filter(({ covers, summary }) => covers.length === 0 || summary === '')
      .map(({ name }) => `${id}: ${name} needs a summary and what it covers`),
  ];
}
