import type { Refusal } from '@cls/shared/http/refusal';
import type { Registry } from '../lifecycle/registry.ts';
import type { OperationKey, Release } from '../lifecycle/release.ts';
import type { ApiVersion, VersionRequest, VersionRoute } from './api-version.ts';
import { undeclared } from './check-declared.ts';
import { convertedRoute } from './convert.ts';
import { convertRefusal } from './convert-refusal.ts';
import { walkOf } from './walk.ts';

/** The registry with the code of its versions. */
export interface ApiVersions {
  readonly registry: Registry;
  /** Of all versions, below `/api/{version}`. */
  readonly paths: readonly string[];
  /** The path of a route that a request's path is of: `/cls/deals/{id}` of `/cls/deals/deal_…`. */
  routePath(path: string): string | undefined;
  /** @throws {Error} for a release that is not in the registry */
  served(release: Release): ServedVersion;
  /** A refusal in the words of the version. */
  refusalOf(release: Release, refusal: Refusal, operation: OperationKey, query: string): Refusal;
}

/** What answers the requests for a version. */
export interface ServedVersion {
  readonly module: ApiVersion;
  /** The releases after the version, oldest first. */
  readonly later: readonly Release[];
  /** What a request says of the version that answers it. */
  readonly context: Pick<VersionRequest, 'applies' | 'walk'>;
  /** By their paths. */
  readonly routes: ReadonlyMap<string, VersionRoute>;
}

/**
 * The newest version's code answers for every version; a path that it does not have any more is
 * answered by the code of the version that asks.
 *
 * @param modules the code of each release, oldest first.
 */
export function apiVersions(registry: Registry, modules: readonly ApiVersion[]): ApiVersions {
  const { releases } = registry;
  const ids = releases.map(({ id }) => id).join(', ');
  if (modules.map(({ id }) => id).join(', ') !== ids) {
    throw new Error(`the registry lists ${ids}: give the code of each, in this order`);
  }
  const faults = releases.slice(1).flatMap((release, index) => {
    const [older, newer] = modules.slice(index);
    return older && newer ? undeclared(older, newer, release) : [];
  });
  if (faults.length > 0) throw new Error(`the versions cannot be served: ${faults.join('; ')}`);
  const head = modules.at(-1);
  const all = namesOf(releases);
  const byId = new Map(
    modules.map((module, index): [string, ServedVersion] => {
      const later = releases.slice(index + 1);
      const notYet = namesOf(later);
      const applies = (change: string) => {
        if (!all.has(change)) throw new Error(`no version has a change ${change}`);
        return !notYet.has(change);
      };
      const routes = module.routes.map((own): [string, VersionRoute] => {
        const newest = head?.routes.find(({ path }) => path === own.path);
        const converted = newest !== undefined && module !== head;
        return [own.path, converted ? convertedRoute(module, own, newest, later) : own];
      });
      const context = { applies, walk: walkOf(module.id) };
      return [module.id, { module, later, context, routes: new Map(routes) }];
    }),
  );
  const served = ({ id }: Release): ServedVersion => {
    const found = byId.get(id);
    if (found === undefined) throw new Error(`${id} is not in the registry`);
    return found;
  };
  const paths = [...new Set(modules.flatMap((one) => one.routes.map(({ path }) => path)))];
  return {
    registry,
    paths,
    routePath: pathFinder(paths),
    served,
    refusalOf(release, refusal, operation, query) {
      const { module, later } = served(release);
      if (later.length === 0) return refusal;
      return convertRefusal(refusal, module, { operation, query }, later);
    },
  };
}

function namesOf(releases: readonly Release[]): ReadonlySet<string> {
  return new Set(releases.flatMap(({ changes }) => changes.map(({ name }) => name)));
}

/** A path without variables is found first: `/cls/balances/totals` before `/cls/balances/{id}`. */
function pathFinder(paths: readonly string[]): (path: string) => string | undefined {
  const variable = paths.filter((path) => path.includes('{'));
  const patterns = variable.map((path): readonly [RegExp, string] => [
    new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    path,
  ]);
  return (path) =>
    paths.find((one) => one === path && !one.includes('{')) ??
    patterns.find(([pattern]) => pattern.test(path))?.[1];
}
