import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { type Portal, startPortal } from './support/portal.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const BACK = 'https://portal.example/';

describe('an application that asks to sign a person out', () => {
  let server: TestAuthServer;
  let portal: Portal;
  let own: RelyingParty;
  let quiet: RelyingParty;
  let another: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    portal = await startPortal('Portal');
    own = await relyingParty(server, { backchannelLogoutUri: `${portal.origin}/backchannel` });
    quiet = await relyingParty(server);
    another = await relyingParty(server, { firstParty: false });
  });
  after(async () => {
    await server?.stop();
    await portal?.stop();
  });

  /** @returns the ID token. */
  const signIn = async (party: RelyingParty, browser: Browser) => {
    const flow = await authorizationUrl(party);
    let page = await browser.follow(flow.url);
    for (let step = 0; step < 2 && page.url.origin === server.issuer; step += 1) {
      const text = await page.response.text();
      const answers = text.includes('name="password"')
        ? { email: server.person.email, password: PASSWORD }
        : { decision: 'allow' };
      page = await browser.submit({ ...page, text }, answers);
    }
    return (await exchange(party, flow, page.url)).id_token ?? '';
  };
  const ask = (browser: Browser, parameters: Record<string, string>) => {
    const url = new URL(`${server.issuer}/oauth/logout`);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return browser.follow(url);
  };
  const isSignedIn = async (browser: Browser) => {
    const { url } = await authorizationUrl(own, { prompt: 'none' });
    return (await browser.follow(url)).url.searchParams.has('code');
  };

  it('does so at once where it is our own, in the session of its token', async () => {
    const browser = new Browser();
    const token = await signIn(own, browser);
    const told = portal.received.length;
    const { url } = await ask(browser, {
      ...{ id_token_hint: token, post_logout_redirect_uri: BACK, state: 'a b&c' },
    });
    expect(url.href).to.equal(`${BACK}?state=a+b%26c`);
    expect(await isSignedIn(browser)).to.equal(false);
    await eventually(async () => expect(portal.received.length).to.equal(told + 1));
    const ended = await server.database.query<{ client: string }>(
      `SELECT client_id AS client FROM audit_event WHERE type = 'sign_in.ended' ORDER BY at DESC LIMIT 1`,
    );
    expect(ended).to.deep.equal([{ client: own.id }]);
  });

  it('does so at once where it is our own and registered no back-channel logout', async () => {
    const browser = new Browser();
    const token = await signIn(quiet, browser);
    const { url } = await ask(browser, { id_token_hint: token, post_logout_redirect_uri: BACK });
    expect(url.href).to.equal(BACK);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  it('says so here where it names no address', async () => {
    const browser = new Browser();
    const { url } = await ask(browser, { id_token_hint: await signIn(own, browser) });
    expect(url.href).to.match(/\/oauth\/logout\/success$|\/signed-out$/);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  it('waits for the person’s answer where the key of its token was removed, and comes back then', async () => {
    const browser = new Browser();
    const { privateKey } = await generateKeyPair('RS256');
    const token = await new SignJWT(decodeJwt(await signIn(own, browser)))
      .setProtectedHeader({ alg: 'RS256', kid: 'removed' })
      .sign(privateKey);
    const page = await ask(browser, {
      ...{ id_token_hint: token, post_logout_redirect_uri: BACK, client_id: own.id, state: 'x' },
    });
    expect(page.response.status).to.equal(200);
    expect(await isSignedIn(browser)).to.equal(true);
    const { url } = await browser.submit(page, { logout: 'yes' });
    expect(url.href).to.equal(`${BACK}?state=x`);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  for (const [what, parameters] of [
    [
      'of a third party',
      async (browser: Browser) => ({ id_token_hint: await signIn(another, browser) }),
    ],
    [
      'with a token of another session',
      async () => ({ id_token_hint: await signIn(own, new Browser()) }),
    ],
    [
      'with a token of another session and no back-channel logout',
      async () => ({ id_token_hint: await signIn(quiet, new Browser()) }),
    ],
    ['with its name alone', async () => ({ client_id: own.id })],
    ['that names nothing', async () => ({})],
  ] as const) {
    it(`waits for the person’s answer where it is one ${what}`, async () => {
      const browser = new Browser();
      await signIn(own, browser);
      const page = await ask(browser, await parameters(browser));
      expect(page.response.status).to.equal(200);
      expect(await page.response.text()).to.include('name="logout"');
      expect(await isSignedIn(browser)).to.equal(true);
    });
  }
});
