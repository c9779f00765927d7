import { Secret } from '@cls/shared/secret';
import { openDatabase } from '@cls/shared/service/open-database';
import { type Engine, pglite, postgres } from '@cls/testing/engines';
import { type FailingStore, failingDatabase } from '@cls/testing/failing-database';
import type { FaultProxy } from '@cls/testing/fault-proxy';
import { startTestAuthServer, type TestAuthServer } from './auth-server.ts';

/** PostgreSQL, reached through a proxy that may fail. */
export function behind(proxy: FaultProxy): Engine {
  return {
    ...postgres,
    async createLocation(...of) {
      const location = await postgres.createLocation(...of);
      if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
      const url = new URL(location.url.expose());
      url.port = `${proxy.port}`;
      return { ...location, url: new Secret(url.href) };
    },
  };
}

/** The service on an embedded database that may fail; what a test asks itself does not. */
export async function failingPglite(
  env: Record<string, string> = {},
): Promise<{ readonly server: TestAuthServer; readonly store: FailingStore }> {
  let store: FailingStore | undefined;
  const server = await startTestAuthServer(pglite, env, async (...args) => {
    const failing = failingDatabase(await openDatabase(...args));
    store = failing;
    return failing.database;
  });
  if (store === undefined) throw new Error('the service opened no database');
  return { server, store };
}
