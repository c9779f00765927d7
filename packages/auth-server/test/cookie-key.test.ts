import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { startAuthServer } from '../src/compose.ts';
import { KEY, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

const ANOTHER = 'B'.repeat(43);

describe('a new COOKIE_KEY', () => {
  let server: TestAuthServer;
  beforeEach(async () => {
    server = await startTestAuthServer(anyEngine);
  });

  it('lets everybody stay signed in, and send forms, where the previous key is given', async () => {
    const portal = await relyingParty(server);
    const browser = new Browser();
    await browser.submit(await browser.follow((await authorizationUrl(portal)).url), {
      ...server.person,
    });
    const other = new Browser();
    const form = await other.follow((await authorizationUrl(portal)).url);

    await server.stop();
    const keys = { cookieKey: new Secret(ANOTHER), previousCookieKey: new Secret(KEY) };
    const next = await startAuthServer({ ...server.config, ...keys }, silentLog);
    try {
      const again = await browser.follow((await authorizationUrl(portal)).url);
      expect(again.url.searchParams.has('code'), 'no page asks').to.equal(true);
      const sent = await other.submit(form, { ...server.person });
      expect(sent.url.searchParams.has('code'), 'the form is taken').to.equal(true);
    } finally {
      await next.stop();
    }
  });

  it('asks everybody to sign in again, and leaves refresh tokens and passwords good', async () => {
    const portal = await relyingParty(server);
    const browser = new Browser();
    const flow = await authorizationUrl(portal, { scope: 'openid offline_access' });
    const page = await browser.submit(await browser.follow(flow.url), { ...server.person });
    const { refresh_token: refreshToken = '' } = await exchange(portal, flow, page.url);
    const again = async () => (await browser.follow((await authorizationUrl(portal)).url)).url;
    expect((await again()).searchParams.has('code')).to.equal(true);

    await server.stop();
    const cookieKey = new Secret(ANOTHER);
    const next = await startAuthServer({ ...server.config, cookieKey }, silentLog);
    try {
      const asked = await again();
      expect(asked.pathname).to.match(/^\/interaction\//);
      expect((await browser.open(asked)).status).to.equal(200);
      const signedIn = await browser.submit(
        { url: asked, response: await browser.open(asked) },
        { ...server.person },
      );
      expect(signedIn.url.searchParams.has('code')).to.equal(true);
      const refreshed = await client.refreshTokenGrant(portal.config, refreshToken);
      expect(refreshed.access_token).to.be.a('string');
    } finally {
      await next.stop();
    }
  });
});
