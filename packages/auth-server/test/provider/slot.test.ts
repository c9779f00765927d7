import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { SigningKeyStore } from '../../src/keys/signing-key.ts';
import { sqlSigningKeyStore } from '../../src/keys/sql-signing-keys.ts';
import type { ProviderSettings } from '../../src/library/configuration.ts';
import type { Provider } from '../../src/library/oidc.ts';
import { providerSlot } from '../../src/library/slot.ts';
import { MIGRATIONS } from '../../src/server/migrations.ts';
import { KEY } from '../support/auth-server.ts';

/** A rebuild takes milliseconds; the machine may be busy. */
const PUBLISHED_MS = 20_000;

describe('the keys of a service that is starting', () => {
  let database: Database;
  let server: Server;
  before(async () => {
    database = await anyEngine.open(MIGRATIONS);
  });
  after(async () => {
    server?.close();
    await database?.close();
  });

  it('are published, those too that are staged while it reads them', async () => {
    const store = sqlSigningKeyStore(database, aesGcmSealer(new Secret(KEY)), 2048);
    let staged = false;
    const keys: SigningKeyStore = {
      ...store,
      async load() {
        const found = await store.load();
        if (!staged) {
          staged = true;
          await store.stage();
        }
        return found;
      },
    };
    const settings = {
      ...{ scopeBase: 'https://cls.example', audience: 'https://cls.example/api' },
      ...{ cookieKey: new Secret(KEY), mfaPolicy: 'enrolled', accountTokenTtlS: 60 },
      ...{
        sessionIdleS: 600,
        sessionAbsoluteS: 600,
        refreshTokenTtlS: 600,
        refreshGraceS: 0,
        rememberDeviceS: 0,
      },
    } as unknown as ProviderSettings;
    let live: Provider | undefined;
    const use = (provider: Provider) => {
      live = provider;
    };
    await providerSlot('http://localhost', settings, keys, use, silentLog);
    server = createServer((request, response) => live?.callback()(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`);
      const { keys: published } = (await answer.json()) as { keys: unknown[] };
      expect(published).to.have.length(4); // Each for two algorithms.
    }, PUBLISHED_MS);
  });
});
