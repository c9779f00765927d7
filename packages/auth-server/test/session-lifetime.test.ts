import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
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
