import { pglite } from '@cls/shared/testing/engines';
import { expect } from 'chai';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const OF_A_BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('an address that is opened', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(pglite);
  });
  after(() => server?.stop());

  const get = (path: string, accept: string, language = 'en') =>
    fetch(`${server.issuer}${path}`, { headers: { accept, 'accept-language': language } });

  for (const [path, status] of [
    ['/', 404],
    ['/acount', 404],
    ['/oauth/nothing', 404],
    ['/oauth/token', 405],
    ['/oauth/logout/confirm', 405],
  ] as const) {
    it(`${path} gets a browser a page with a reference and a way on, and ${status}`, async () => {
      const response = await get(path, OF_A_BROWSER);
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const text = await response.text();
      expect(text)
        .to.include('There is nothing at this address')
        .and.include('href="/account"')
        .and.include(response.headers.get('x-request-id') as string);
      expect(await (await get(path, OF_A_BROWSER, 'de')).text()).to.include('<html lang="de">');
    });

    for (const accept of ['application/json', '*/*']) {
      it(`${path} gets a program that accepts ${accept} JSON, and ${status}`, async () => {
        const response = await get(path, accept);
        expect(response.status).to.equal(status);
        expect(await response.json()).to.have.keys('error', 'error_description');
        expect(response.headers.get('allow')).to.equal(status === 405 ? 'POST' : null);
      });
    }
  }

  it('leads from the form that was refused back to where the person stands', async () => {
    const party = await relyingParty(server);
    const { url } = await authorizationUrl(party);
    const browser = new Browser();
    const page = await browser.follow(url);
    const refused = await browser.submit(page, { email: 'nobody@india.example', password: 'x' });
    expect(refused.response.status).to.equal(422);
    expect(refused.url.pathname).to.equal(`${page.url.pathname}/sign-in`);
    const opened = await browser.follow(refused.url);
    expect(opened.response.status).to.equal(200);
    expect(opened.url.pathname).to.equal(page.url.pathname);
    const stranger = await new Browser().follow(refused.url);
    expect(stranger.response.status).to.equal(410);
  });
});
