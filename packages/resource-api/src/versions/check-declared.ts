import type { OperationKey, Release, Rule } from '../lifecycle/release.ts';
import { type ApiVersion, operationKey, type VersionRoute } from './api-version.ts';

/**
 * What the code of two neighbouring versions shows to be different, and the newer one's changes do
 * not declare: sentences. The contract gate finds everything else.
 */
export function undeclared(older: ApiVersion, newer: ApiVersion, release: Release): string[] {
  const covers = release.changes.flatMap((change) => change.covers);
  const declares = (rule: Rule, operation: OperationKey) =>
    covers.some((cover) => cover.rule === rule && cover.operation === operation);
  const faults = older.routes.flatMap((route) => {
    const operation = operationKey('GET', route.path);
    const there = newer.routes.find(({ path }) => path === route.path);
    if (there === undefined) {
      return declares('R1', operation) ? [] : [`${operation} is gone: declare R1`];
    }
    const same = permissionsOf(route) === permissionsOf(there);
    return same || declares('R2', operation)
      ? []
      : [`${operation}: permissions differ: declare R2`];
  });
  const known = new Set(
    [...older.routes, ...newer.routes].map(({ path }) => operationKey('GET', path)),
  );
  const unknown = covers.filter(({ operation }) => !known.has(operation));
  return [
    ...faults,
    ...unknown.map(({ operation }) => `${operation} is covered, and there is no such operation`),
  ].map((fault) => `${release.id}: ${fault}`);
}

function permissionsOf({ permissions }: VersionRoute): string {
  return [...permissions].sort().join(' ');
}
