import { silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { describeOnDatabase, postgres, requireServer } from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { digest } from '../src/crypto/digest.ts';
import { sqlSessionStore } from '../src/sessions/sql-session-store.ts';
import { accountAccess } from '../src/sessions/state-account-access.ts';
import { sqlStateStore } from '../src/state/sql-state-store.ts';
import type { StateStore } from '../src/state/state-store.ts';
import { sqlTokenStatus } from '../src/token-status/sql-token-status.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import { quickHash } from './support/quick-hash.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const NEXT = 'seven lakes behind the glacier';

describeOnDatabase('ending all that a person has signed in', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(() => server?.stop());

  const endAll = async (email: string, act?: (id: string) => Promise<unknown>) => {
    const account = await sqlAccounts(server.database).findByEmail(email);
    const id = account?.id ?? '';
    await act?.(id);
    const state = sqlStateStore(server.database, () => undefined);
    await accountAccess(
      state,
      sqlSessionStore(server.database),
      sqlTokenStatus(server.database),
    ).endAll(id);
    await state.close();
  };
  const replacePassword = (email: string) =>
    endAll(email, async (id) =>
      sqlAccounts(server.database).replacePassword(id, await quickHash(NEXT)),
    );
  const newPerson = async () => {
    const email = `person-${Math.random()}@india.example`;
    await createPerson(server.database, email);
    return email;
  };
  const isSignedIn = async (browser: Browser) => {
    const { url } = await browser.follow(`${server.issuer}/account`);
    return url.pathname === '/account';
  };

  it('ends a proof that was held back in the middle of signing in', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const next = await sendSignIn(browser, (await authorizationUrl(portal)).url, email);
    await replacePassword(email);
    const { url, response } = await browser.follow(next);
    expect(url.pathname).to.match(/^\/interaction\//);
    expect(await response.text()).to.include('name="password"');
    expect(await isSignedIn(browser)).to.equal(false);
  });

  it('ends a sign-in that was held back before its last redirect', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const step = await browser.open(await sendSignIn(browser, flow.url, email));
    const resume = new URL(step.headers.get('location') ?? '', server.issuer);
    expect(resume.pathname).to.match(/^\/oauth\/authorize\//);
    await replacePassword(email);
    const { url, response } = await browser.follow(resume);
    expect([url.origin, response.status]).to.deep.equal([server.issuer, 410]);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  it('lets the person sign in on the page that was open meanwhile', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const page = await browser.follow(flow.url);
    await replacePassword(email);
    const { url } = await browser.submit(page, { email, password: NEXT });
    expect((await exchange(portal, flow, url)).claims()?.aud).to.equal(portal.id);
    expect(await isSignedIn(browser)).to.equal(true);
  });

  it('ends an mfa_token: a replaced password proves nothing', async () => {
    const { email, password, totpSecret } = server.guarded;
    const asked = await server.postJson({ email, password });
    const { mfa_token } = (await asked.json()) as { mfa_token: string };
    await replacePassword(email);
    const answer = await server.postJson({ mfa_token, otp: totpCode(totpSecret) });
    expect(answer.status).to.equal(400);
    expect(await answer.json()).to.have.property('error', 'invalid_grant');
  });

  it('ends more sessions than the list shows, save the one that asks, and a few at a time', async () => {
    const account = await sqlAccounts(server.database).findByEmail(await newPerson());
    const accountId = account?.id ?? '';
    const records = sqlSessionStore(server.database);
    const store = sqlStateStore(server.database, () => undefined);
    let [now, most] = [0, 0];
    const state: StateStore = {
      ...store,
      async revokeGrant(id) {
        now += 1;
        most = Math.max(most, now);
        await store.revokeGrant(id);
        now -= 1;
      },
    };
    const access = accountAccess(state, records, sqlTokenStatus(server.database));
    const uids = Array.from({ length: 120 }, (_, n) => digest(`${accountId} ${n}`));
    for (const uid of uids) {
      await state.put({
        ...{ kind: 'Session', key: uid, uid, grantId: uid, account: digest(accountId) },
        ...{ payload: {}, ttlS: 600 },
      });
      await records.recordSession({ uid, accountId, device: {} });
    }
    const [kept = '', ...others] = uids;
    await access.endOtherSessions(accountId, kept);
    const alive = await Promise.all(others.map((uid) => state.findBy('Session', 'uid', uid)));
    expect(alive.filter((entry) => entry !== undefined)).to.deep.equal([]);
    expect((await access.sessions(accountId)).map(({ uid }) => uid)).to.deep.equal([kept]);
    expect(most).to.be.within(1, 10);
    await state.close();
  });
});

describeOnDatabase('ending one session where the records fail', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    const backchannelLogoutUri = 'http://127.0.0.1:9/';
    portal = await relyingParty(server, { name: 'Portal', backchannelLogoutUri });
  });
  after(() => server?.stop());

  const signIn = async (browser: Browser) => {
    const flow = await authorizationUrl(portal);
    const { email } = server.person;
    const page = await browser.follow(flow.url);
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    return exchange(portal, flow, url);
  };
  const open = async (browser: Browser, path: string) => {
    const { url, response } = await browser.follow(`${server.issuer}${path}`);
    return { url, response, text: await response.text() };
  };
  const withBroken = async <T>([broken, mended]: readonly string[], work: () => Promise<T>) => {
    await server.database.query(broken ?? '');
    const done = await work();
    await server.database.query(mended ?? '');
    return done;
  };
  const refreshes = (tokens: { refresh_token?: string }) =>
    client.refreshTokenGrant(portal.config, tokens.refresh_token ?? '').then(
      () => 'refreshed',
      (refusal: { error?: string }) => refusal.error,
    );
  const expectTold = async (tokens: Awaited<ReturnType<typeof signIn>>) => {
    const told = await server.database.query('SELECT 1 FROM logout_notice WHERE sid = $1', [
      String(tokens.claims()?.['sid']),
    ]);
    expect(told).to.have.length(1);
  };
  const GRANTS = [
    'ALTER TABLE application_grant RENAME TO application_grant_away',
    'ALTER TABLE application_grant_away RENAME TO application_grant',
  ];
  const NOTICES = [
    'ALTER TABLE logout_notice ADD CONSTRAINT "full" CHECK (false) NOT VALID',
    'ALTER TABLE logout_notice DROP CONSTRAINT "full"',
  ];

  for (const [what, tables] of [
    ['what applications got is listed', GRANTS],
    ['applications are to be told', NOTICES],
  ] as const) {
    it(`says so where ${what}, and is done when the form is sent again`, async () => {
      const [here, there] = [new Browser(), new Browser()];
      const tokens = await signIn(there);
      await signIn(here);
      const page = await open(here, '/account/sessions');
      const failed = await withBroken(tables, () => here.submit(page, {}));
      expect(failed.response.status).to.be.within(500, 503);
      const done = await here.submit(page, {});
      const text = await done.response.text();
      expect(text).to.include('The session was ended.').and.include('signed in nowhere else');
      expect(await refreshes(tokens)).to.equal('invalid_grant');
      await expectTold(tokens);
      await here.submit(await open(here, '/oauth/logout'), { logout: 'yes' });
    });
  }

  it('withdraws an application’s access when the form is sent again, and tells the application', async () => {
    const browser = new Browser();
    const tokens = await signIn(browser);
    const [, href = ''] =
      /href="(\/account\/applications\/withdraw[^"]+)"/.exec(
        (await open(browser, '/account/applications')).text,
      ) ?? [];
    const page = await open(browser, href);
    const failed = await withBroken(NOTICES, () => browser.submit(page, { confirm: 'yes' }));
    expect(failed.response.status).to.be.within(500, 503);
    const of = { ...page, text: page.text.replaceAll(/app_\w+/g, '%00') };
    expect((await browser.submit(of, { confirm: 'yes' })).response.status).to.equal(200);
    await browser.submit(page, { confirm: 'yes' });
    expect(await refreshes(tokens)).to.equal('invalid_grant');
    await expectTold(tokens);
    await browser.submit(await open(browser, '/oauth/logout'), { logout: 'yes' });
  });

  it('leaves somebody signed in who signs out, so that it can be done again', async () => {
    const browser = new Browser();
    const tokens = await signIn(browser);
    const page = await open(browser, '/oauth/logout');
    const failed = await withBroken(GRANTS, () => browser.submit(page, { logout: 'yes' }));
    expect(failed.response.status).to.be.within(500, 503);
    expect((await open(browser, '/account')).url.pathname).to.equal('/account');
    await browser.submit(page, { logout: 'yes' });
    expect(await refreshes(tokens)).to.equal('invalid_grant');
    expect((await open(browser, '/account')).url.pathname).to.match(/^\/interaction\//);
  });
});

describe('ending a session while a request of it is under way [PostgreSQL]', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });
  before(async () => {
    server = await startTestAuthServer(postgres);
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(() => server?.stop());

  /** Somebody who is signed in, and an application that they have not opened yet. */
  const signedInWithMoreToCome = async () => {
    const browser = new Browser();
    const { email } = server.person;
    const page = await browser.follow((await authorizationUrl(portal)).url);
    await browser.submit(page, { email, password: PASSWORD });
    const other = await relyingParty(server);
    const flow = await authorizationUrl(other);
    const account = await sqlAccounts(server.database).findByEmail(email);
    return { browser, other, flow, account };
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (refusal: { error?: string }) => refusal.error,
    );

  for (const what of ['that session', 'everything'] as const) {
    it(`of ${what}: the code that comes out of it is worth nothing`, async () => {
      const { browser, other, flow, account } = await signedInWithMoreToCome();
      const records = sqlSessionStore(server.database);
      const [session] = await records.sessions(account?.id ?? '');
      const state = sqlStateStore(server.database, () => undefined);
      const access = accountAccess(state, records, sqlTokenStatus(server.database));
      const locker = await openDatabaseAsOperator(server.config.database, 'lock', silentLog);
      let request: Promise<{ url: URL }> | undefined;
      let ended: Promise<void> | undefined;
      // No grant can be listed while the lock is held; everything else works.
      await locker.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE application_grant IN SHARE MODE');
        request = browser.follow(flow.url);
        await waitFor(server, /INSERT INTO application_grant/);
        const end = what === 'everything' ? access.endAll : access.endSession;
        ended = end((what === 'everything' ? account?.id : session?.uid) ?? '');
        await waitFor(server, /DELETE FROM application_grant/);
      });
      await ended;
      const { url } = (await request) ?? { url: new URL(server.issuer) };
      expect(await errorOf(exchange(other, flow, url))).to.equal('invalid_grant');
      await locker.close();
      await state.close();
    });
  }

  it('of everything, before others see that it has begun: what is granted meanwhile is worth nothing', async () => {
    const { browser, other, flow, account } = await signedInWithMoreToCome();
    const database = await openDatabaseAsOperator(server.config.database, 'slow', silentLog);
    const [written, begun] = promise();
    const [answered, commit] = promise();
    const state = sqlStateStore(
      {
        ...database,
        transaction: (work, options) =>
          database.transaction(async (transaction) => {
            const done = await work(transaction);
            begun();
            await answered;
            return done;
          }, options),
      },
      () => undefined,
    );
    const access = accountAccess(
      state,
      sqlSessionStore(server.database),
      sqlTokenStatus(server.database),
    );
    const ended = access.endAll(account?.id ?? '');
    await written;
    const { url } = await browser.follow(flow.url);
    expect(url.searchParams.has('code'), url.href).to.equal(true);
    commit();
    await ended;
    expect(await errorOf(exchange(other, flow, url))).to.equal('invalid_grant');
    await state.close();
    await database.close();
  });

  it('leaves a session that gets a new id just while another tab signs in somewhere', async () => {
    const { browser, other, flow } = await signedInWithMoreToCome();
    const locker = await openDatabaseAsOperator(server.config.database, 'lock', silentLog);
    let request: Promise<{ url: URL }> | undefined;
    // The other tab has stored it under the new id, and removed the old one.
    await locker.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE application_grant IN SHARE MODE');
      request = browser.follow(flow.url);
      await waitFor(server, /INSERT INTO application_grant/);
      await transaction.query(
        `UPDATE protocol_state SET id_sha256 = 'new' || id_sha256 WHERE kind = 'Session'`,
      );
    });
    const { url } = (await request) ?? { url: new URL(server.issuer) };
    expect((await exchange(other, flow, url)).claims()?.aud).to.equal(other.id);
    expect((await browser.follow(`${server.issuer}/account`)).url.pathname).to.equal('/account');
    await locker.close();
  });

  it('leaves somebody signed in whose last redirect was sent twice at once', async () => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const { email } = server.person;
    const step = await browser.open(await sendSignIn(browser, flow.url, email));
    const resume = new URL(step.headers.get('location') ?? '', server.issuer);
    const locker = await openDatabaseAsOperator(server.config.database, 'lock', silentLog);
    let twice: Promise<{ url: URL }[]> | undefined;
    // Both read the interaction before one of them can end it.
    await locker.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE protocol_state IN SHARE MODE');
      twice = Promise.all([browser.follow(resume), browser.follow(resume)]);
      await waitFor(server, /INSERT INTO protocol_state/, 2);
    });
    for (const { url } of (await twice) ?? []) {
      expect(url.searchParams.get('code'), url.href).to.be.a('string');
    }
    expect((await browser.follow(`${server.issuer}/account`)).url.pathname).to.equal('/account');
    await locker.close();
  });
});

/** The sign-in form, sent; the redirect that follows is held back. */
async function sendSignIn(browser: Browser, url: URL, email: string): Promise<URL> {
  const page = await browser.follow(url);
  const html = await page.response.text();
  const [, action = ''] = /<form method="post" action="([^"]*sign-in)"/.exec(html) ?? [];
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(html) ?? [];
  const body = new URLSearchParams({ csrf, email, password: PASSWORD });
  const answer = await browser.open(new URL(action, page.url), { method: 'POST', body });
  return new URL(answer.headers.get('location') ?? '', page.url);
}

/** A promise, and what fulfils it. */
function promise(): [Promise<void>, () => void] {
  let fulfil: () => void = () => undefined;
  const promised = new Promise<void>((resolve) => {
    fulfil = resolve;
  });
  return [promised, fulfil];
}

/** Until a statement waits for a lock. */
async function waitFor({ database }: TestAuthServer, statement: RegExp, times = 1): Promise<void> {
  await eventually(async () => {
    const waiting = await database.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    const found = waiting.filter(({ query }) => statement.test(query));
    if (found.length < times) throw new Error(`nothing waits: ${statement}`);
  });
}
