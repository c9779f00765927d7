import { Refusal } from '@cls/shared/http/refusal';
import type { Registry, Resolution } from '../lifecycle/registry.ts';

/** Of a version that is not served: `unknown_version`, `version_retired`, `version_brownout`. */
export function notServed(
  registry: Registry,
  resolution: Exclude<Resolution, { kind: 'served' }>,
  now: Date,
): Refusal {
  const supportedVersions = registry.servedIds(now);
  if (resolution.kind === 'unknown') {
    return new Refusal({
      status: 404,
      code: 'unknown_version',
      title: 'Unknown API version',
      detail: `This version does not exist. Supported versions: ${supportedVersions.join(', ')}.`,
      extensions: { supportedVersions },
    });
  }
  const { release } = resolution;
  const { id, retiresAt } = release;
  const successor = registry.successorOf(release, now)?.id;
  const extensions = { version: id, retiresAt, successor, supportedVersions };
  if (resolution.kind === 'retired') {
    return new Refusal({
      status: 410,
      code: 'version_retired',
      title: 'API version retired',
      detail: `${id} was retired at ${retiresAt}; use ${successor}.`,
      extensions,
    });
  }
  return new Refusal({
    status: 410,
    code: 'version_brownout',
    title: 'API version switched off for a short time',
    detail: `${id} retires at ${retiresAt}. To show who still calls it, it is switched off until ${resolution.until}, as announced; use ${successor}.`,
    extensions: { ...extensions, until: resolution.until },
  });
}
