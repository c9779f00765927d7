import { anyEngine, describeOnDatabase, requireServer } from '@cls/testing/engines';
import { redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import { quickHash } from './support/quick-hash.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { useCasesBeside } from './support/use-cases.ts';

const NEXT = 'seven lakes behind the glacier';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

const TITLE = 'a sign-in that is under way while access is taken away';
describeOnDatabase(TITLE, (engine) => suite(() => startTestAuthServer(engine)));

describe(`${TITLE} [Redis]`, () => {
  let redisUrl = '';
  before(async function () {
    const redis = await redisServer();
    requireServer(this, 'Redis', redis);
    redisUrl = redis.url;
  });
  suite(() => startTestAuthServer(anyEngine, { REDIS_URL: redisUrl, REDIS_TIMEOUT_MS: '10000' }));
});

function suite(start: () => Promise<TestAuthServer>): void {
  let server: TestAuthServer;
  let people: Awaited<ReturnType<typeof useCasesBeside>>;
  let portal: RelyingParty;
  let account: Account;
  let passwordHash: string;
  let n = 0;

  before(async () => {
    server = await start();
    people = await useCasesBeside(server);
    portal = await relyingParty(server, { name: 'Portal' });
    passwordHash = await quickHash(PASSWORD);
  });
  beforeEach(async () => {
    n += 1;
    const email = `person-${n}@india.example`;
    const records = sqlAccounts(server.database);
    const id = await records.create({
      ...{ email, customer: 'india', permissions: [VIEW], passwordHash },
    });
    account = await reloaded(id);
  });
  after(async () => {
    await people?.close();
    await server?.stop();
  });

  const reloaded = async (id = account.id) => {
    const found = await people.accounts.find(id);
    if (found === undefined) throw new Error('no account');
    return found;
  };
  /** The form with the right password is sent; what its answer leads to is not opened yet. */
  const sendPassword = async (browser: Browser, password = PASSWORD, party = portal) => {
    const page = await browser.follow((await authorizationUrl(party)).url);
    return sendForm(browser, page, { email: account.email, password });
  };
  const sendForm = async (
    browser: Browser,
    page: { url: URL; response: Response },
    fields: Record<string, string>,
  ) => {
    const text = await page.response.text();
    const csrf = /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const body = new URLSearchParams({ csrf, ...fields });
    const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1] ?? '';
    const answer = await browser.open(new URL(action, page.url), { method: 'POST', body });
    return new URL(answer.headers.get('location') ?? '', page.url);
  };
  /** One step further: the provider has the result, and its answer is not opened yet. */
  const oneStep = async (browser: Browser, url: URL) =>
    new URL((await browser.open(url)).headers.get('location') ?? '', url);
  const isSignedIn = async (browser: Browser) => {
    const flow = await authorizationUrl(portal, { prompt: 'none' });
    return (await browser.follow(flow.url)).url.searchParams.has('code');
  };
  const newPassword = async (password = NEXT) => {
    const { token } = await linkFor();
    const done = await people.resetPassword.finish(token, password, {});
    if ('expired' in done || 'problem' in done) throw new Error('not reset');
  };
  const linkFor = () => {
    const clock = { now: () => new Date() };
    return sqlAccountLinks(server.database, clock).create(account.id, 'password_reset', 1_800);
  };

  for (const [what, take] of [
    ['a new password is set by a link', () => newPassword()],
    ['an administrator ends the sessions', () => people.administer.endSessions(account, {})],
    ['an administrator resets the factors', () => people.administer.resetFactors(account, {})],
    [
      'the account is disabled and enabled again',
      async () => {
        await people.administer.disable(account, {});
        await people.administer.enable(account, {});
      },
    ],
  ] as const) {
    it(`goes no further from a proven password after ${what}`, async () => {
      const browser = new Browser();
      const next = await sendPassword(browser);
      await take();
      const { url, response } = await browser.follow(next);
      expect(url.pathname).to.match(/^\/interaction\//);
      expect(await response.text()).to.include('name="password"');
      expect(await isSignedIn(browser)).to.equal(false);
    });

    it(`does not end in a session after ${what}, though only the last redirect was left`, async () => {
      const browser = new Browser();
      const resume = await oneStep(browser, await sendPassword(browser));
      expect(resume.pathname).to.match(/^\/oauth\/authorize\//);
      await take();
      const { url, response } = await browser.follow(resume);
      expect([url.pathname, response.status]).to.deep.equal([resume.pathname, 410]);
      expect(await isSignedIn(browser)).to.equal(false);
    });
  }

  for (const [what, take] of [
    ['the account was disabled', () => people.administer.disable(account, {})],
    ['the password was reset', () => newPassword()],
  ] as const) {
    it(`says after the code that it has ended because ${what}, and no more`, async () => {
      const browser = new Browser();
      await people.secondFactor.enrol(account.id, TOTP_SECRET);
      const page = await browser.follow(await sendPassword(browser));
      await take();
      const { response } = await browser.submit(page, { code: totpCode(TOTP_SECRET) });
      expect(response.status).to.equal(422);
      const text = await response.text();
      expect(text)
        .to.include('This sign-in ended before you finished it. Start again.')
        .and.include('name="password"')
        .and.not.include(account.email);
      expect(await isSignedIn(browser)).to.equal(false);
    });
  }

  it('says so as well where a second factor was to be set up', async () => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal, { acr_values: 'urn:cls:acr:mfa' });
    const page = await browser.follow(flow.url);
    const choice = await browser.submit(page, { email: account.email, password: PASSWORD });
    await people.administer.disable(account, {});
    const { response } = await browser.follow(`${choice.url.href}/enrol/totp`);
    expect(await response.text()).to.include('This sign-in ended before you finished it.');
  });

  it('ends in no session when the password changes while it is being compared', async () => {
    const browsers = Array.from({ length: 12 }, () => new Browser());
    const pages = await Promise.all(
      browsers.map(async (browser) => browser.follow((await authorizationUrl(portal)).url)),
    );
    const fields = { email: account.email, password: PASSWORD };
    const sent = browsers.map((browser, at) => browser.submit(pages[at] as never, fields));
    // Two are compared at a time: by now all have read the old password.
    await sent[0];
    await sqlAccounts(server.database).replacePassword(account.id, await quickHash(NEXT));
    await people.administer.endSessions(account, {});
    await Promise.all(sent);
    for (const browser of browsers) expect(await isSignedIn(browser)).to.equal(false);
  });

  it('does not end in a session where a permission is to be asked for next', async () => {
    const browser = new Browser();
    const other = await relyingParty(server, { firstParty: false });
    const resume = await oneStep(browser, await sendPassword(browser, PASSWORD, other));
    await newPassword();
    expect((await browser.follow(resume)).response.status).to.equal(410);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  for (const [what, end] of [
    [
      'the person signed out in another tab',
      async (browser: Browser) => {
        const out = await browser.follow(`${server.issuer}/oauth/logout`);
        await browser.submit(out, { logout: 'yes' });
      },
    ],
    ['an administrator ended the sessions', () => people.administer.endSessions(account, {})],
  ] as const) {
    it(`takes the password that is asked for again, though ${what} meanwhile`, async () => {
      const browser = new Browser();
      await browser.follow(await sendPassword(browser));
      const flow = await authorizationUrl(portal, { prompt: 'login' });
      const page = await browser.follow(flow.url);
      await end(browser);
      expect(await isSignedIn(browser)).to.equal(false);
      const { url } = await browser.submit(page, { email: account.email, password: PASSWORD });
      expect((await exchange(portal, flow, url)).claims()?.sub).to.equal(account.id);
      expect(await isSignedIn(browser)).to.equal(true);
    });
  }

  it('refuses the form of another browser’s sign-in also when the session of that one has ended', async () => {
    const first = new Browser();
    await first.follow(await sendPassword(first));
    const page = await first.follow((await authorizationUrl(portal, { prompt: 'login' })).url);
    await people.administer.endSessions(account, {});
    const stranger = new Browser();
    const { url, response } = await stranger.submit(page, {
      email: account.email,
      password: PASSWORD,
    });
    expect([url.pathname, response.status]).to.deep.equal([`${page.url.pathname}/sign-in`, 410]);
  });

  it('can be begun again on the same page with the new password', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const text = await page.response.text();
    const again = () => ({ url: page.url, response: new Response(text) });
    await sendForm(browser, again(), { email: account.email, password: PASSWORD });
    await newPassword();
    const next = await sendForm(browser, again(), { email: account.email, password: NEXT });
    expect((await browser.follow(next)).url.href).to.include(REDIRECT_URI);
    expect(await isSignedIn(browser)).to.equal(true);
  });

  it('asks for the second factor that was added since the password was proven', async () => {
    const browser = new Browser();
    const next = await sendPassword(browser);
    await people.secondFactor.enrol(account.id, TOTP_SECRET);
    const { response } = await browser.follow(next);
    expect(await response.text()).to.include('name="code"');
    expect(await isSignedIn(browser)).to.equal(false);
  });

  it('adds no second factor beside one that was added since the password was proven', async () => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal, { acr_values: 'urn:cls:acr:mfa' });
    const page = await browser.follow(flow.url);
    const choice = await browser.submit(page, { email: account.email, password: PASSWORD });
    const enrol = new URL(`${choice.url.pathname}/enrol/totp`, choice.url);
    const form = await browser.follow(enrol);
    await people.secondFactor.enrol(account.id, TOTP_SECRET);
    const after = await browser.submit(form, { code: '123456', name: 'Mine' });
    expect(after.url.pathname).to.equal(choice.url.pathname);
    expect(await after.response.text())
      .to.include('method="post"')
      .and.not.include('enrol/totp');
  });

  it('says when the person signed in, however long they thought about the permission', async () => {
    const other = await relyingParty(server, { firstParty: false });
    const browser = new Browser();
    const flow = await authorizationUrl(other);
    const page = await browser.follow(flow.url);
    const asked = await browser.submit(page, { email: account.email, password: PASSWORD });
    const signedInBy = Math.floor(Date.now() / 1000);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const { url } = await browser.submit(asked, { decision: 'allow' });
    expect((await exchange(other, flow, url)).claims()?.auth_time).to.be.at.most(signedInBy);
  });

  it('keeps no permission that is given after the session was ended', async () => {
    const other = await relyingParty(server, { firstParty: false });
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(other)).url);
    const asked = await browser.submit(page, { email: account.email, password: PASSWORD });
    await people.administer.endSessions(account, {});
    const { response } = await browser.submit(asked, { decision: 'allow' });
    expect(response.status).to.equal(410);
    expect(await people.consents.list(account.id)).to.deep.equal([]);
  });
}
