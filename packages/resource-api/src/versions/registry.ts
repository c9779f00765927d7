import { Refusal } from '@cls/shared/http/refusal';
import type { ApiVersion } from './api-version.ts';

export interface VersionRegistry {
  /** Oldest first. */
  readonly versions: readonly ApiVersion[];
  readonly newest: ApiVersion;
  /** By `version_id`, `latest` included. @throws {Refusal} `unknown_version`, `version_retired` */
  resolve(versionId: string, now: Date): ApiVersion;
  /** The specification's table of versions. */
  list(): readonly { versionId: string; support: string; retirement: string }[];
}

/** @throws {Error} when the versions are not v1, v2, … in order. */
export function versionRegistry(versions: readonly ApiVersion[]): VersionRegistry {
  const newest = versions.at(-1);
  if (newest === undefined || versions.some(({ id }, index) => id !== `v${index + 1}`)) {
    throw new Error('versions must be v1, v2, … in order');
  }
  const dates = versions.flatMap(({ retiresAt }) => retiresAt ?? []);
  if (dates.some((date) => Number.isNaN(Date.parse(date))) || newest.retiresAt !== undefined) {
    throw new Error('retiresAt is an RFC 3339 instant, and the newest version has none');
  }
  const byId = new Map<string, ApiVersion>(versions.map((version) => [version.id, version]));
  byId.set('latest', newest);
  return {
    versions,
    newest,
    resolve(versionId, now) {
      const version = byId.get(versionId);
      if (version === undefined) throw unknownVersion([...byId.keys()]);
      if (version.retiresAt !== undefined && now >= new Date(version.retiresAt)) {
        throw versionRetired(version, newest);
      }
      return version;
    },
    list: () => [
      { versionId: 'latest', support: 'Supported', retirement: 'Never' },
      ...versions.map(({ id, support, retiresAt }) => ({
        versionId: id,
        support,
        retirement: retiresAt ?? 'N/A',
      })),
    ],
  };
}

function unknownVersion(supportedVersions: readonly string[]): Refusal {
  return new Refusal({
    status: 404,
    code: 'unknown_version',
    title: 'Unknown API version',
    detail: `This version does not exist. Supported versions: ${supportedVersions.join(', ')}.`,
    extensions: { supportedVersions },
  });
}

function versionRetired({ id, retiresAt }: ApiVersion, newest: ApiVersion): Refusal {
  return new Refusal({
    status: 410,
    code: 'version_retired',
    title: 'API version retired',
    detail: `${id} was retired at ${retiresAt}; use ${newest.id}.`,
    headers: { 'API-Version': id },
    extensions: { successor: newest.id },
  });
}
