import { type Permission, scopeOf } from '@cls/shared/access-token';
import type { Release } from '../lifecycle/release.ts';
import type { Cache, Page } from '../memory/memories.ts';
import type { ApiVersions } from './api-versions.ts';
import { type VersionExamples, withExamples } from './examples.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

/**
 * The contracts as `/api/{version}/openapi.json` serves them: with this deployment's scopes, and
 * with the marks of a version that ends, from the registry as the headers are.
 *
 * @param examples of each version, by its id.
 */
export function descriptions(
  versions: ApiVersions,
  scopeBase: string,
  pages: Cache<string, Page>,
  examples: () => Readonly<Record<string, VersionExamples>>,
) {
  return (release: Release, now: Date): Page => {
    const isDeprecated = versions.registry.statusOf(release, now) !== 'Supported';
    return pages.once(`/api/${release.id} ${isDeprecated}`, () => {
      const { contract } = versions.served(release).module;
      const shown = examples()[release.id];
      const exemplified = shown === undefined ? contract : withExamples(contract, shown);
      const document = withLife(exemplified, release, isDeprecated, scopeBase);
      const body = Buffer.from(JSON.stringify(document));
      return { type: 'application/json; charset=utf-8', body };
    });
  };
}

function withLife(
  contract: OpenApiDocument,
  { retiresAt }: Release,
  isDeprecated: boolean,
  scopeBase: string,
): OpenApiDocument {
  const scope = (name: string) => scopeOf(scopeBase, name as Permission);
  const operation = (one: Operation): Operation => ({
    ...one,
    ...(one.security && {
      security: one.security.map((needed) => mapValues(needed, (names) => names.map(scope))),
    }),
    ...(isDeprecated ? { deprecated: true } : {}),
    // The convention of API diff tools: a date.
    ...(retiresAt === undefined ? {} : { 'x-sunset': retiresAt.slice(0, 10) }),
  });
  const { securitySchemes } = contract.components;
  return {
    ...contract,
    paths: mapValues(contract.paths, (path) => mapValues(path, operation)),
    components: {
      ...contract.components,
      securitySchemes: mapValues(securitySchemes, (scheme) => ({
        ...scheme,
        flows: mapValues(scheme.flows, (flow) => ({
          ...flow,
          scopes: Object.fromEntries(
            Object.entries(flow.scopes).map(([name, meaning]) => [scope(name), meaning]),
          ),
        })),
      })),
    },
  };
}

function mapValues<T, U>(from: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
