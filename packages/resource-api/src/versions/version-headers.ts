import type { Resolution } from '../lifecycle/registry.ts';
import type { Release } from '../lifecycle/release.ts';
import type { ApiVersions } from './api-versions.ts';
import { POLICY_PATH } from './releases.ts';

/** Below `/api/{version}`, beside the version's own paths. */
export const DESCRIPTION_PATH = '/openapi.json';

/**
 * What every answer below a version says about it: `Deprecation` (RFC 9745), `Sunset` (RFC 8594)
 * and `Link` (RFC 8288). `Deprecation` is a Date of structured fields (RFC 9651 §3.3.7): whole seconds,
 * as the registry's instants are. `latest` itself does not end, so it has neither of the dates.
 *
 * @param path below the version; a link to another version needs the path there too.
 */
export function versionHeaders(
  versions: ApiVersions,
  resolution: Exclude<Resolution, { kind: 'unknown' }>,
  path: string,
  now: Date,
): Record<string, string> {
  const { release, isLatest } = resolution;
  const { deprecatedAt, retiresAt } = isLatest ? {} : release;
  return {
    'API-Version': release.id,
    ...(deprecatedAt === undefined ? {} : { Deprecation: `@${Date.parse(deprecatedAt) / 1_000}` }),
    ...(retiresAt === undefined ? {} : { Sunset: new Date(retiresAt).toUTCString() }),
    Link: [
      ...otherVersions(versions, resolution, path, now),
      ...(deprecatedAt === undefined ? [] : [link(POLICY_PATH, 'deprecation', 'text/html')]),
      ...(retiresAt === undefined ? [] : [link(POLICY_PATH, 'sunset', 'text/html')]),
      link(`/api/${release.id}${DESCRIPTION_PATH}`, 'service-desc', 'application/json'),
    ].join(', '),
  };
}

/** The same resource elsewhere (RFC 5829), where it exists there. */
function otherVersions(
  { registry, route }: ApiVersions,
  { release, isLatest }: { release: Release; isLatest: boolean },
  path: string,
  now: Date,
): string[] {
  const has = (other: Release | undefined): other is Release =>
    other !== undefined && route(other, path) !== undefined;
  const successor = registry.successorOf(release, now);
  return [
    ...(has(successor) ? [link(`/api/${successor.id}${path}`, 'successor-version')] : []),
    ...(!isLatest && has(registry.latest(now))
      ? [link(`/api/latest${path}`, 'latest-version')]
      : []),
  ];
}

function link(target: string, relation: string, type?: string): string {
  return `<${target}>; rel="${relation}"${type === undefined ? '' : `; type="${type}"`}`;
}
