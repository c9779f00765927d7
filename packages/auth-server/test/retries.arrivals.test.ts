import { systemClock } from '@cls/shared/clock';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { adminToken, newCaller } from './support/administrator.ts';
import { createPerson, PASSWORD, type TestAuthServer } from './support/auth-server.ts';
import { describeOnFailingStores, type FailingWorld, read } from './support/failing-world.ts';
import { startOrganisation } from './support/organisation.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { useCasesBeside } from './support/use-cases.ts';

const DOMAIN = 'india.example';
const NEW_PASSWORD = 'another horse, another battery';

describeOnFailingStores('somebody who tries again', (open) => {
  let world: FailingWorld;
  let server: TestAuthServer;
  let people: Awaited<ReturnType<typeof useCasesBeside>>;
  let n = 0;
  before(async () => {
    world = await open();
    ({ server } = world);
    people = await useCasesBeside(server);
  });
  after(async () => {
    await people?.close();
    await world?.stop();
  });
  const newEmail = () => {
    n += 1;
    return `person-${n}@${DOMAIN}`;
  };
  const signsIn = async (email: string, password: string) => {
    const found = await people.accounts.authenticate(email, password);
    expect(found?.email, 'whom the password lets in').to.equal(email);
  };
  const opened = async (purpose: 'invitation' | 'password_reset', email: string) => {
    const account = await people.records.findByEmail(email);
    const links = sqlAccountLinks(server.database, systemClock);
    const { token } = await links.create(account?.id ?? '', purpose, 600);
    const path = purpose === 'invitation' ? '/invitation' : '/password/new';
    const browser = new Browser(world.again);
    const page = await read(await browser.follow(`${server.issuer}${path}?token=${token}`));
    return { email, browser, page };
  };
  const setPassword = async ({ browser, page }: Awaited<ReturnType<typeof opened>>) =>
    read(await browser.submit(page, { new_password: NEW_PASSWORD }));

  it('accepts an invitation', async () => {
    const permissions = ['cls-deal.view'] as const;
    await world.atEachPlace(
      async () => {
        const email = newEmail();
        await people.records.create({ email, customer: 'india', permissions });
        return opened('invitation', email);
      },
      setPassword,
      async ({ url }, { email }) => {
        expect(url.pathname).to.equal('/password/set');
        await signsIn(email, NEW_PASSWORD);
      },
    );
  });

  it('sets a new password by the link of an e-mail', async () => {
    await world.atEachPlace(
      async () => {
        const email = newEmail();
        await createPerson(server.database, email);
        return opened('password_reset', email);
      },
      setPassword,
      async ({ url }, { email }) => {
        expect(url.pathname).to.equal('/password/set');
        await signsIn(email, NEW_PASSWORD);
      },
    );
  });

  it('changes the password', async () => {
    await world.atEachPlace(
      async () => {
        const email = newEmail();
        await createPerson(server.database, email);
        const browser = new Browser(world.again);
        const signIn = await browser.follow(`${server.issuer}/account/password`);
        const page = await read(await browser.submit(signIn, { email, password: PASSWORD }));
        return { email, browser, page };
      },
      async ({ browser, page }) =>
        read(await browser.submit(page, { password: PASSWORD, new_password: NEW_PASSWORD })),
      async ({ url, response, text }, { email }) => {
        // In Redis the person's own session may have ended with the others: they sign in and repeat.
        if (response.status === 403 && /session has ended/.test(text)) {
          await signsIn(email, PASSWORD).catch(() => signsIn(email, NEW_PASSWORD));
          return;
        }
        expect([url.pathname, response.status]).to.deep.equal(['/account/password', 200]);
        expect(text).not.to.include('class="problem"');
        await signsIn(email, NEW_PASSWORD);
      },
    );
  });

  it('invites somebody as an administrator', async () => {
    const token = await adminToken(server, await newCaller(server));
    await world.atEachPlace(
      async () => {
        await server.database.query('DELETE FROM throttle');
        return newEmail();
      },
      async (email) =>
        world.again(`${server.issuer}/admin/v1/accounts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ email, permissions: ['cls-deal.view'] }),
        }),
      async (response, email) => {
        expect([response.status, await response.text()][0]).to.equal(201);
        const invited = await people.records.findByEmail(email);
        expect(invited).to.include({ pending: true });
        const links = await server.database.query(
          `SELECT FROM account_link WHERE account_id = $1 AND purpose = 'invitation'`,
          [invited?.id ?? ''],
        );
        expect(links).to.have.length(1);
      },
    );
  });

  describe('through the organisation', () => {
    let upstream: TestAuthServer;
    let portal: RelyingParty;
    before(async () => {
      upstream = await startOrganisation(server, DOMAIN);
      portal = await relyingParty(server);
    });
    after(() => upstream?.stop());

    const throughOrganisation = async (
      browser: Browser,
      page: { url: URL; response: Response },
    ) => {
      const { email } = upstream.person;
      const there = await browser.submit(page, { email });
      const theirs = new Browser();
      const form = await theirs.follow(there.url);
      return (await theirs.submit(form, { email, password: PASSWORD })).url;
    };

    /** Events of each sign-in, however often parts of it were done. */
    const toldOnceEach = async (signIns: number) => {
      const events = await server.database.query(
        `SELECT type, count(*)::int FROM audit_event
         WHERE type IN ('account.organisation_linked', 'sign_in.succeeded')
           AND subject = (SELECT id FROM account WHERE email = $1)
         GROUP BY type ORDER BY type`,
        [upstream.person.email],
      );
      expect(events).to.deep.equal([
        { type: 'account.organisation_linked', count: signIns },
        { type: 'sign_in.succeeded', count: signIns },
      ]);
    };

    for (const linked of [false, true]) {
      it(`signs in${linked ? '' : ' for the first time, and hears of it once'}`, async () => {
        const { email } = upstream.person;
        let signIns = 0;
        await world.atEachPlace(
          async () => {
            signIns += 1;
            if (!linked) await server.database.query('DELETE FROM upstream_link');
            const browser = new Browser(world.again);
            const { url } = await authorizationUrl(portal, { login_hint: email });
            return { browser, back: await throughOrganisation(browser, await browser.follow(url)) };
          },
          async ({ browser, back }) => {
            const arrived = await browser.follow(back);
            if (!arrived.url.pathname.startsWith('/interaction/')) return arrived;
            // What the organisation gave is used up: once more, where the person is signed in.
            return browser.follow(await throughOrganisation(browser, arrived));
          },
          async ({ url }) => {
            expect(url.searchParams.get('code'), `back at ${url.href}`).to.be.a('string');
          },
        );
        if (!linked) await eventually(() => toldOnceEach(signIns));
      });
    }
  });
});
