import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pglite } from '@cls/shared/testing/engines';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import { startBrowser } from './support/browser.ts';
import {
  authorizationUrl,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('signing in with Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  let server: TestAuthServer;
  let portalServer: Server;
  let callback = '';
  let portal: RelyingParty;
  let thirdParty: RelyingParty;
  const contexts: BrowserContext[] = [];

  before(async function () {
    browser = await startBrowser(this);
    server = await startTestAuthServer(pglite);
    // The application that people come back to: another origin than the issuer.
    portalServer = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Portal</title><h1>Portal</h1>');
    }).listen(0, '127.0.0.1');
    await new Promise((done) => portalServer.once('listening', done));
    const origin = `http://127.0.0.1:${(portalServer.address() as AddressInfo).port}`;
    callback = `${origin}/callback`;
    const uris = { redirectUris: [callback], postLogoutRedirectUris: [`${origin}/`] };
    portal = await relyingParty(server, { name: 'Portal', ...uris });
    thirdParty = await relyingParty(server, { name: 'Other Firm', firstParty: false, ...uris });
  });
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
  after(async () => {
    await browser?.close();
    await server?.stop();
    portalServer?.close();
  });

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context.newPage();
  };
  const ask = (party = portal, more: Record<string, string> = {}) =>
    authorizationUrl(party, { redirect_uri: callback, ...more });
  const signIn = async (page: Page, email = server.person.email) => {
    await page.getByLabel('E-mail address', { exact: false }).fill(email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.locator('button.primary').click();
  };
  const atPortal = (page: Page) => page.waitForURL((url) => url.href.startsWith(callback));

  for (const javaScriptEnabled of [true, false]) {
    it(`reaches the application with password and code, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const page = await open({ javaScriptEnabled });
      const flow = await ask();
      await page.goto(flow.url.href);
      await signIn(page, server.guarded.email);
      await page
        .locator('input[name=code]')
        .fill(totpCode(server.guarded.totpSecret, javaScriptEnabled ? 0 : 30));
      await page.locator('button.primary').click();
      await atPortal(page);
      const claims = (await exchange(portal, flow, new URL(page.url()))).claims();
      expect(claims?.['amr']).to.deep.equal(['pwd', 'otp', 'mfa']);
    });
  }

  it('says what was wrong beside the field, keeps the address, and lets go on', async () => {
    const page = await open();
    const flow = await ask();
    await page.goto(flow.url.href);
    await page.locator('input[name=email]').fill(server.person.email);
    await page.locator('input[name=password]').fill('wrong');
    await page.locator('button.primary').click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('input[name=email]').inputValue()).to.equal(server.person.email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.locator('button.primary').click();
    await atPortal(page);
  });

  it('speaks German where the reader does, and the language that was chosen', async () => {
    const page = await open({ locale: 'de-DE' });
    await page.goto((await ask()).url.href);
    expect(await page.locator('html').getAttribute('lang')).to.equal('de');
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.locator('html').getAttribute('lang')).to.equal('en');
    await signIn(page);
    await atPortal(page);
  });

  it('asks for consent of a third party, and goes back with either answer', async () => {
    const page = await open();
    await page.goto((await ask(thirdParty)).url.href);
    await signIn(page);
    await page.getByText('Other Firm').first().waitFor();
    await page.locator('button[value=deny]').click();
    await atPortal(page);
    expect(new URL(page.url()).searchParams.get('error')).to.equal('access_denied');
    const flow = await ask(thirdParty);
    await page.goto(flow.url.href);
    await page.locator('button[value=allow]').click();
    await atPortal(page);
    expect((await exchange(thirdParty, flow, new URL(page.url()))).claims()?.aud).to.equal(
      thirdParty.id,
    );
  });

  it('shows a page with a way on after the back button, a second tab, and a double press', async () => {
    const page = await open();
    await page.goto((await ask()).url.href);
    const form = page.url();
    const second = await contexts[0]?.newPage();
    await second?.goto(form);
    await signIn(page);
    await atPortal(page);
    await page.goBack();
    // A page that is never kept is asked for again, and its sign-in is done with.
    await page.reload();
    expect(await page.locator('h1').textContent()).to.not.equal('Portal');
    expect(await page.locator('a.button.primary').count()).to.be.greaterThan(0);
    if (second === undefined) throw new Error('no second tab');
    await signIn(second);
    await second.locator('.reference').waitFor();
    const third = await open();
    await third.goto((await ask()).url.href);
    await third.locator('input[name=email]').fill(server.person.email);
    await third.locator('input[name=password]').fill(PASSWORD);
    await third.locator('button.primary').dblclick();
    await atPortal(third);
  });

  it('signs out of every application at once, after asking', async () => {
    const page = await open();
    const flow = await ask();
    await page.goto(flow.url.href);
    await signIn(page);
    await atPortal(page);
    const tokens = await exchange(portal, flow, new URL(page.url()));
    const out = new URL(`${server.issuer}/oauth/logout`);
    out.searchParams.set('id_token_hint', tokens.id_token ?? '');
    out.searchParams.set('post_logout_redirect_uri', callback.replace('callback', ''));
    await page.goto(out.href);
    await page.locator('button[name=logout]').click();
    await page.waitForURL((url) => url.href === callback.replace('callback', ''));
    await page.goto((await ask(portal, { prompt: 'none' })).url.href);
    expect(new URL(page.url()).searchParams.get('error')).to.equal('login_required');
  });
});
