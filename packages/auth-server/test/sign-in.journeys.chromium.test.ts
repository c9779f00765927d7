import { pglite } from '@cls/shared/testing/engines';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import { startBrowser } from './support/browser.ts';
import { type Portal, startPortal } from './support/portal.ts';
import {
  authorizationUrl,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

interface Site {
  readonly portal: Portal;
  readonly party: RelyingParty;
  readonly callback: string;
}

describe('journeys through signing in, with Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  let server: TestAuthServer;
  let first: Site;
  let second: Site;
  let stranger: Site;
  const contexts: BrowserContext[] = [];
  /** What the browser refused, in every page that was opened. */
  const refused: string[] = [];

  const siteOf = async (name: string, firstParty: boolean): Promise<Site> => {
    const portal = await startPortal(name);
    const { origin } = portal;
    const party = await relyingParty(server, {
      name,
      firstParty,
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [`${origin}/bye`],
      backchannelLogoutUri: `${origin}/backchannel`,
    });
    return { portal, party, callback: `${origin}/callback` };
  };

  before(async function () {
    browser = await startBrowser(this);
    server = await startTestAuthServer(pglite);
    first = await siteOf('First Portal', true);
    second = await siteOf('Second Portal', true);
    stranger = await siteOf('Other Firm', false);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(refused.splice(0), 'refused by the policy').to.deep.equal([]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await Promise.all([first, second, stranger].map((site) => site?.portal.stop()));
  });

  const newContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext(options);
    contexts.push(context);
    context.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) refused.push(message.text());
    });
    return context;
  };
  const open = async (options: BrowserContextOptions = {}) => (await newContext(options)).newPage();
  const ask = ({ party, callback }: Site, more: Record<string, string> = {}) =>
    authorizationUrl(party, { redirect_uri: callback, ...more });
  const fill = async (page: Page, email: string) => {
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill(PASSWORD);
  };
  const signIn = async (page: Page, email = server.person.email) => {
    await fill(page, email);
    await page.locator('form:has(input[name=password]) button.primary').click();
  };
  const press = (page: Page) => page.locator('button.primary').first().click();
  const arrive = (page: Page, { callback }: Site) =>
    page.waitForURL((url) => url.href.startsWith(callback));
  const signedIn = async (page: Page, site: Site, email?: string) => {
    const flow = await ask(site);
    await page.goto(flow.url.href);
    await signIn(page, email);
    await arrive(page, site);
    return exchange(site.party, flow, new URL(page.url()));
  };
  const isSignedIn = async (page: Page, site: Site) => {
    await page.goto((await ask(site, { prompt: 'none' })).url.href);
    return new URL(page.url()).searchParams.has('code');
  };
  const signOutUrl = (site: Site, idToken?: string) => {
    const url = new URL(`${server.issuer}/oauth/logout`);
    url.searchParams.set('client_id', site.party.id);
    url.searchParams.set('post_logout_redirect_uri', `${site.portal.origin}/bye`);
    if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
    return url.href;
  };

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without';

    it(`signs out where nobody is signed in any more, ${how} scripts`, async () => {
      const page = await open({ javaScriptEnabled });
      await page.goto(signOutUrl(first));
      if (!javaScriptEnabled) await press(page);
      await page.waitForURL(`${first.portal.origin}/bye`);
    });

    it(`lets somebody else sign in where a person is signed in, ${how} scripts`, async () => {
      const page = await open({ javaScriptEnabled });
      const tokens = await signedIn(page, first);
      const flow = await ask(first, { prompt: 'login' });
      await page.goto(flow.url.href);
      await signIn(page, server.guarded.email);
      await page
        .locator('input[name=code]')
        .fill(totpCode(server.guarded.totpSecret, javaScriptEnabled ? 0 : 30));
      await press(page);
      if (!javaScriptEnabled) await press(page);
      await arrive(page, first);
      const claims = (await exchange(first.party, flow, new URL(page.url()))).claims();
      expect(claims?.sub).to.equal(server.guarded.id);
      expect(tokens.claims()?.sub).to.not.equal(server.guarded.id);
    });

    it(`sends the answer by form where the application asks for that, ${how} scripts`, async () => {
      const page = await open({ javaScriptEnabled });
      const flow = await ask(first, { response_mode: 'form_post' });
      await page.goto(flow.url.href);
      await signIn(page);
      if (!javaScriptEnabled) await press(page);
      await arrive(page, first);
      const { body } = first.portal.received.findLast(({ path }) => path === '/callback') ?? {};
      expect([...(body?.keys() ?? [])].sort()).to.deep.equal(['code', 'iss', 'state']);
      const callback = new URL(`${first.callback}?${body}`);
      expect((await exchange(first.party, flow, callback)).claims()?.aud).to.equal(first.party.id);
    });
  }

  it('signs out of two applications at once and tells the other one', async () => {
    const page = await open();
    const tokens = await signedIn(page, first);
    const flow = await ask(second);
    await page.goto(flow.url.href);
    await arrive(page, second);
    const others = await exchange(second.party, flow, new URL(page.url()));
    await page.goto(signOutUrl(first, tokens.id_token));
    await page.locator('button[name=logout]').click();
    await page.waitForURL(`${first.portal.origin}/bye`);
    const told = second.portal.received.find(({ path }) => path === '/backchannel');
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(
      told?.body.get('logout_token') ?? '',
      keys,
      { issuer: server.issuer, audience: second.party.id },
    );
    expect(protectedHeader['typ']).to.equal('logout+jwt');
    expect(payload['sid']).to.equal(others.claims()?.['sid']);
    expect(payload['events']).to.have.property(
      'http://schemas.openid.net/event/backchannel-logout',
    );
    for (const site of [first, second]) expect(await isSignedIn(page, site)).to.equal(false);
  });
});
