import { systemClock } from '@cls/shared/clock';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { sweep } from '../src/compose.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('the life of a session, of 300 seconds without use and 600 in any case', () => {
  const { now } = Date;
  let server: TestAuthServer;
  let portal: RelyingParty;
  let browser: Browser;
  before(async () => {
    server = await startTestAuthServer(anyEngine, {
      ...{ SESSION_IDLE_S: '300', SESSION_ABSOLUTE_S: '600' },
    });
    portal = await relyingParty(server);
  });
  after(() => server?.stop());
  beforeEach(async () => {
    browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal)).url);
    await browser.submit(page, { email: server.person.email, password: PASSWORD });
  });
  afterEach(() => {
    Date.now = now;
  });

  const pass = (seconds: number) => {
    const before = Date.now;
    Date.now = () => before() + seconds * 1_000;
  };
  /** What an application gets that lets nobody be asked. */
  const answer = async () => {
    const { url } = await browser.follow((await authorizationUrl(portal, { prompt: 'none' })).url);
    return url.searchParams.get('error') ?? (url.searchParams.has('code') ? 'code' : url.href);
  };
  const seesAccount = async () =>
    (await browser.follow(`${server.issuer}/account`)).url.pathname === '/account';

  it('ends when it is not used', async () => {
    pass(290);
    expect([await seesAccount(), await answer()]).to.deep.equal([true, 'code']);
    pass(320); // The library allows for clocks that differ by 15 seconds.
    expect([await seesAccount(), await answer()]).to.deep.equal([false, 'login_required']);
  });

  it('goes on while the person looks at account pages', async () => {
    for (let visits = 0; visits < 2; visits += 1) {
      pass(200);
      expect(await seesAccount()).to.equal(true);
    }
  });

  it('ends however much it is used', async () => {
    for (let used = 0; used < 2; used += 1) {
      pass(290);
      expect([await seesAccount(), await answer()]).to.deep.equal([true, 'code']);
    }
    pass(30);
    expect([await seesAccount(), await answer()]).to.deep.equal([false, 'login_required']);
  });

  it('goes on under another id when the person signs in again', async () => {
    const before = browser.cookie('cls_session');
    expect(before).to.be.a('string');
    const { url } = await authorizationUrl(portal, { prompt: 'login' });
    await browser.submit(await browser.follow(url), {
      ...{ email: server.person.email, password: PASSWORD },
    });
    expect(browser.cookie('cls_session')).to.be.a('string').and.not.equal(before);
    const thief = new Browser();
    thief.plant('cls_session', before ?? '');
    expect((await thief.follow(`${server.issuer}/account`)).url.pathname).not.to.equal('/account');
  });
});

describe('the list of where people are signed in', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine, {
      ...{ SESSION_IDLE_S: '300', SESSION_ABSOLUTE_S: '2592000', REMEMBER_DEVICE_S: '86400' },
    });
  });
  after(() => server?.stop());

  it('keeps a session of a remembered browser for as long as that lives unused', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(await relyingParty(server))).url);
    const form = { email: server.person.email, password: PASSWORD, remember_device: 'yes' };
    await browser.submit(page, form);
    const listed = async (days: number) => {
      await server.database.query(
        'UPDATE signed_in_session SET last_seen_at = now() - make_interval(days => $1)',
        [days],
      );
      await sweep(server.config, server.database, systemClock);
      return (await server.database.query('SELECT FROM signed_in_session')).length;
    };
    const now = Date.now;
    Date.now = () => now() + 10 * 86_400_000;
    const account = await browser.follow(`${server.issuer}/account`);
    Date.now = now;
    expect(account.url.pathname, 'after ten days').to.equal('/account');
    expect(await listed(10)).to.equal(1);
    expect(await listed(32)).to.equal(0);
  });
});
