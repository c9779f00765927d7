import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { postgresDatabase } from '@cls/shared/sql/postgres';
import { requireServer } from '@cls/testing/engines';
import { postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Explorer } from '../src/compose.ts';
import type { Person } from './support/person.ts';
import { type Services, sharedServices, VIEW } from './support/services.ts';

const SESSION = 'cls_explorer';

describe('a sign-in that ends while the store of sessions takes nothing new', () => {
  let services: Services;
  let explorer: Explorer;
  let store: Database;
  let person: Person;
  before(async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    const url = await server.createDatabase();
    services = await sharedServices();
    explorer = await services.startAnother({ EXPLORER_PORT: '0', EXPLORER_DATABASE_URL: url });
    store = postgresDatabase({
      ...{ url: new Secret(url), poolSize: 1, statementTimeoutMs: 60_000 },
      ...{ applicationName: 'test', onError: () => undefined },
    });
    person = await services.person(VIEW);
  });
  after(async () => {
    await store?.close();
    await explorer?.stop();
  });

  const tables = async (change: string) => {
    await store.query(`ALTER TABLE explorer_session ${change}`);
    await store.query(`ALTER TABLE explorer_once ${change}`);
  };

  it('shows an error page, and is done without a password when the store takes it', async () => {
    const { send } = person;
    let signedIn: Response | undefined;
    person.send = async (address, init) => {
      const { pathname, search, origin } = new URL(address, services.url);
      const here = origin === services.url;
      const at = here ? `http://127.0.0.1:${explorer.port}${pathname}${search}` : address;
      const ends = pathname === '/callback' && signedIn === undefined;
      if (ends) await tables('ADD CONSTRAINT full_up CHECK (false) NOT VALID');
      const response = await send.call(person, at, init);
      if (ends) signedIn = response;
      return response;
    };
    const failed = await person.signIn('/deals?sort=borrower');
    expect(signedIn?.status).to.equal(303);
    expect(signedIn?.headers.get('location')).to.equal('/deals?sort=borrower');
    expect(failed.response.status).to.equal(500);
    expect(person.cookie(SESSION)).to.equal(undefined);
    await tables('DROP CONSTRAINT full_up');
    const page = await person.open('/deals?sort=borrower');
    expect(page.response.status).to.equal(200);
    expect(page.html).to.include(person.email);
    expect(person.cookie(SESSION)).to.be.a('string');
  });
});
