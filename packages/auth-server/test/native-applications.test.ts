import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const CLAIMED = 'https://desktop.example/callback';
const OWN_SCHEME = 'com.example.desktop:/callback';
const LOOPBACK = 'http://127.0.0.1:49152/callback';
const BY_NAME = 'http://localhost:49152/callback';
const REGISTERED = [CLAIMED, OWN_SCHEME, 'http://127.0.0.1/callback', BY_NAME];

/** RFC 8252 §8.6: any program can listen on a port, register a scheme, and use a public client id. */
describe('a native application, where a person is signed in', () => {
  let server: TestAuthServer;
  let desktop: RelyingParty;
  let browser: Browser;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    desktop = await relyingParty(server, {
      ...{ name: 'Ledger desktop', redirectUris: REGISTERED, confidential: false },
    });
    browser = new Browser();
    const page = await browser.follow(`${server.issuer}/account`);
    await browser.submit(page, { email: server.person.email, password: PASSWORD });
  });
  after(() => server?.stop());

  const ask = (redirect_uri: string, more: Record<string, string> = {}, party = desktop) =>
    authorizationUrl(party, { redirect_uri, ...more });

  for (const redirectUri of [LOOPBACK, BY_NAME, OWN_SCHEME]) {
    it(`of the platform gets nothing at ${redirectUri} that the person has not allowed, each time`, async () => {
      for (const time of ['first', 'second']) {
        const flow = await ask(redirectUri);
        const page = await browser.follow(flow.url);
        const text = await page.response.text();
        expect(page.url.pathname, time).to.match(/^\/interaction\//);
        expect(text).to.include('Ledger desktop').and.include('have just started');
        const { url } = await browser.submit({ ...page, text }, { decision: 'allow' });
        expect(url.href).to.match(/[?&]code=/);
        expect(await exchange(desktop, flow, url)).to.have.property('access_token');
      }
    });

    it(`of the platform learns at ${redirectUri} that the person did not allow it`, async () => {
      const page = await browser.follow((await ask(redirectUri)).url);
      const { url } = await browser.submit(page, { decision: 'deny' });
      expect(url.searchParams.get('error')).to.equal('access_denied');
    });

    for (const firstParty of [true, false]) {
      it(`of ${firstParty ? 'the platform' : 'a third party'} gets no code silently at ${redirectUri}`, async () => {
        const party = await relyingParty(server, {
          ...{ redirectUris: REGISTERED, confidential: false, firstParty },
        });
        for (const allowedBefore of [false, true]) {
          const { url } = await browser.follow(
            (await ask(redirectUri, { prompt: 'none' }, party)).url,
          );
          const error = url.searchParams.get('error');
          expect(error, `allowed before: ${allowedBefore}`).to.be.oneOf([
            'consent_required',
            'interaction_required',
          ]);
          expect(url.searchParams.has('code')).to.equal(false);
          const page = await browser.follow((await ask(redirectUri, {}, party)).url);
          await browser.submit(page, { decision: 'allow' });
        }
      });
    }
  }

  it('is asked about in German', async () => {
    const page = await browser.follow((await ask(LOOPBACK, { ui_locales: 'de' })).url);
    expect(await page.response.text()).to.include('gerade selbst gestartet haben');
  });

  it('is asked about where it pushes its request, too', async () => {
    const { url: plain } = await ask(LOOPBACK);
    const pushed = await fetch(`${server.issuer}/oauth/par`, {
      ...{ method: 'POST', body: plain.searchParams },
    });
    const { request_uri } = (await pushed.json()) as { request_uri: string };
    const url = new URL(`${server.issuer}/oauth/authorize`);
    url.search = `${new URLSearchParams({ client_id: desktop.id, request_uri })}`;
    expect((await browser.follow(url)).url.pathname).to.match(/^\/interaction\//);
  });

  it('is asked about after the person has signed in for it', async () => {
    const fresh = new Browser();
    const flow = await ask(OWN_SCHEME);
    const consent = await fresh.submit(await fresh.follow(flow.url), {
      ...{ email: server.person.email, password: PASSWORD },
    });
    const { url } = await fresh.submit(consent, { decision: 'allow' });
    expect(await exchange(desktop, flow, url)).to.have.property('access_token');
  });

  it('goes on without a page by its refresh token', async () => {
    const flow = await ask(LOOPBACK);
    const { url } = await browser.submit(await browser.follow(flow.url), { decision: 'allow' });
    const { refresh_token: token = '' } = await exchange(desktop, flow, url);
    expect(await client.refreshTokenGrant(desktop.config, token)).to.have.property('access_token');
  });

  it('gets a code without a page where its https redirect URI proves it', async () => {
    const flow = await ask(CLAIMED, { prompt: 'none' });
    const { url } = await browser.follow(flow.url);
    expect(await exchange(desktop, flow, url)).to.have.property('access_token');
  });

  it('gets a code without a page where its secret proves it', async () => {
    const keeper = await relyingParty(server, { redirectUris: [LOOPBACK], confidential: true });
    const flow = await ask(LOOPBACK, { prompt: 'none' }, keeper);
    const { url } = await browser.follow(flow.url);
    expect(await exchange(keeper, flow, url)).to.have.property('access_token');
  });
});
