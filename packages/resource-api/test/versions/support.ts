import type { Clock } from '@cls/shared/clock';
import type { Engine } from '@cls/testing/engines';
import { productVersions } from '../../src/compose.ts';
import type { ApiVersions } from '../../src/versions/api-versions.ts';
import type { V1Deps } from '../../src/versions/v1/index.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

export const CURSOR_KEY = 'k'.repeat(43);

/** A clock that tests set. */
export function testClock(start: string): Clock & { set(instant: string): void } {
  let now = new Date(start);
  return {
    now: () => now,
    set(instant) {
      now = new Date(instant);
    },
  };
}

export interface VersionedApi extends TestApi {
  /** Serves other versions from now on, by the same process and book. */
  serve(versionsOf: (deps: V1Deps) => ApiVersions): void;
}

/** The composed service, whose versions can be exchanged. */
export async function startVersionedApi(
  engine: Engine,
  clock: Clock,
  versionsOf: (deps: V1Deps) => ApiVersions = productVersions,
): Promise<VersionedApi> {
  let deps: V1Deps | undefined;
  let current: ApiVersions | undefined;
  const served = (): ApiVersions => {
    if (current === undefined) throw new Error('the service has not begun');
    return current;
  };
  const api = await startTestApi(engine, { CURSOR_KEY }, clock, (given) => {
    deps = given;
    current = versionsOf(given);
    return {
      get registry() {
        return served().registry;
      },
      get paths() {
        return served().paths;
      },
      routePath: (path) => served().routePath(path),
      served: (release) => served().served(release),
      refusalOf: (...refused) => served().refusalOf(...refused),
    };
  });
  return {
    ...api,
    serve(next) {
      if (deps === undefined) throw new Error('the service has not begun');
      current = next(deps);
    },
  };
}

/** A token's times by the clock of the test. */
export function timesOf(clock: Clock): { iat: number; exp: number } {
  const iat = Math.floor(clock.now().getTime() / 1000);
  return { iat, exp: iat + 3_600 };
}
