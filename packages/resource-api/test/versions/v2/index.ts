/**
 * A second version, complete, over the code of the first: it shows what a new version needs, and
 * that nothing of v1 is touched by it. Its own answers are v1's, changed by `NEW_SHAPE`.
 */

import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import { Refusal } from '@cls/shared/http/refusal';
import { minorUnitDigits } from '../../../src/ledger/currency.ts';
import { createRegistry, type Registry, type RetiredAt } from '../../../src/lifecycle/registry.ts';
import type { Change, Release } from '../../../src/lifecycle/release.ts';
import type {
  ApiVersion,
  VersionRequest,
  VersionRoute,
} from '../../../src/versions/api-version.ts';
import { type ApiVersions, apiVersions } from '../../../src/versions/api-versions.ts';
import { convertedRoute } from '../../../src/versions/convert.ts';
import { RELEASES } from '../../../src/versions/releases.ts';
import { type V1Deps, v1 } from '../../../src/versions/v1/index.ts';
import { BALANCES, itemsOf, linesOf, V2_CHANGES } from './changes.ts';
import { v2Columns, v2Contract } from './contract.ts';

const DAY_MS = 86_400_000;
const RELEASED = '2027-01-15T00:00:00Z';

/** v1's answers in v2's shape. */
export const NEW_SHAPE: Change = {
  name: 'NewShape',
  summary: 'v2',
  covers: [],
  down(exchange) {
    if (!BALANCES.includes(exchange.operation)) return;
    for (const item of itemsOf(exchange)) {
      for (const line of linesOf(item)) delete line.total;
      item.currencyDigits = minorUnitDigits(item.currency);
    }
  },
};

export function v2(deps: V1Deps): ApiVersion {
  const contract = v2Contract();
  const version = { id: 'v2', contract, routes: [] } as const;
  const head: Release = { ...(RELEASES[0] as Release), changes: [NEW_SHAPE] };
  const routes = v1(deps)
    .routes.filter(({ path }) => contract.paths[path] !== undefined)
    .map((old): VersionRoute => {
      const own: VersionRoute = {
        ...old,
        question(request) {
          checkV2(old, request);
          return old.question(request);
        },
        columns: (request) =>
          old.path === '/cls/balances'
            ? v2Columns(old.columns?.(request) ?? [])
            : (old.columns?.(request) ?? []),
      };
      const converted = convertedRoute(version, own, old, [head]);
      const { handle } = converted;
      return {
        ...converted,
        permissions: old.path.endsWith('/principal')
          ? ['external-api.fullcontrol']
          : old.permissions,
        handle: (request) => handle(request).catch(answerMissingRateWith409),
      };
    });
  return { ...version, routes };
}

function checkV2(old: VersionRoute, request: VersionRequest): void {
  const query = new URLSearchParams(request.query);
  if (Number(query.get('limit')) > 500 && request.applies('LimitPagesTo500')) {
    throw missing('limit', 'expected a whole number from 1 to 500');
  }
  if (old.path === '/cls/balances' && !query.has('cursor') && !query.has('level')) {
    throw missing('level', 'expected deal, facility, contract or position');
  }
}

function missing(parameter: string, message: string): Refusal {
  return parameterRefusal([{ parameter, code: 'invalid_parameter', message }]);
}

function answerMissingRateWith409(error: unknown): never {
  if (!(error instanceof Refusal) || error.details.status !== 422) throw error;
  throw new Refusal({ ...error.details, status: 409 });
}

export const V2: Release = {
  id: 'v2',
  releasedAt: RELEASED,
  promotesAt: '2027-03-01T00:00:00Z',
  contract: 'contracts/v2.json',
  changes: V2_CHANGES,
};

/** v1 with an end, and v2 after it. */
export const ENDING: readonly Release[] = [
  {
    ...(RELEASES[0] as Release),
    deprecatedAt: '2027-06-01T00:00:00Z',
    retiresAt: '2028-12-01T00:00:00Z',
    brownouts: [
      { from: '2028-10-03T09:00:00Z', to: '2028-10-03T13:00:00Z' },
      { from: '2028-11-07T09:00:00Z', to: '2028-11-08T09:00:00Z' },
    ],
  },
  V2,
];

export function registryOf(releases: readonly Release[], retiredAt?: RetiredAt): Registry {
  return createRegistry(releases, { minNoticeDays: 365 }, retiredAt);
}

/** Both versions; `changes` of v2 may be left out, one by one. */
export function withV2(releases: readonly Release[] = ENDING) {
  return (deps: V1Deps): ApiVersions => apiVersions(registryOf(releases), [v1(deps), v2(deps)]);
}

export { DAY_MS };
