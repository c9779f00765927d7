import { anyEngine } from '@cls/testing/engines';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

describe('an issuer with a path', () => {
  let server: TestAuthServer;
  before(async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}/loans`;
    server = await startTestAuthServer(anyEngine, { ISSUER: issuer, AUTH_PORT: `${port}` });
  });
  after(() => server?.stop());

  it('signs people in, on a second device too, shows them their account, and signs them out', async () => {
    const party = await relyingParty(server, { device: true });
    const flow = await authorizationUrl(party);
    const browser = new Browser();
    const { origin, pathname, searchParams } = flow.url;
    const asked = await browser.follow(`${origin}${pathname}`, {
      ...{ method: 'POST', body: new URLSearchParams(searchParams) },
    });
    expect(asked.url.pathname).to.match(/^\/loans\/interaction\//);
    const { email } = server.person;
    const { url } = await browser.submit(asked, { email, password: PASSWORD });
    const tokens = await exchange(party, flow, url);
    expect(tokens.claims()?.iss).to.equal(server.issuer);
    for (const place of ['', '/password', '/factors', '/sessions', '/applications', '/log']) {
      const page = await browser.follow(`${server.issuer}/account${place}`);
      expect(page.url.pathname).to.equal(`/loans/account${place}`);
      const text = await page.response.text();
      expect(text.match(/(?:href|action|src)="\/(?!loans\/)[^"]*"/g), place).to.equal(null);
    }
    const begun = await client.initiateDeviceAuthorization(party.config, { scope: 'openid' });
    const code = await browser.follow(begun.verification_uri_complete ?? '');
    const confirm = await browser.submit(code, {});
    const done = await browser.submit(confirm, { confirm: 'yes' });
    expect(await done.response.text()).to.include('Device connected');
    const out = await browser.follow(`${server.issuer}/oauth/logout`, {
      ...{ method: 'POST', body: new URLSearchParams({ client_id: party.id }) },
    });
    const left = await browser.submit(out, { logout: 'yes' });
    expect(left.url.pathname).to.equal('/loans/oauth/logout/success');
    const account = await browser.follow(`${server.issuer}/account`);
    expect(account.url.pathname).to.match(/^\/loans\/interaction\//);
  });
});
