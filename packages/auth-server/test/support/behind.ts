import { Secret } from '@cls/shared/secret';
import { type Engine, postgres } from '@cls/shared/testing/engines';
import type { FaultProxy } from '@cls/shared/testing/fault-proxy';

/** PostgreSQL, reached through a proxy that may fail. */
export function behind(proxy: FaultProxy): Engine {
  return {
    ...postgres,
    async createLocation() {
      const location = await postgres.createLocation();
      if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
      const url = new URL(location.url.expose());
      url.port = `${proxy.port}`;
      return { ...location, url: new Secret(url.href) };
    },
  };
}
