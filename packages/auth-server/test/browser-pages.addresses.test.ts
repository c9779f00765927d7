import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const OF_A_BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('an address that is opened', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
  });
  after(() => server?.stop());

  const get = (path: string, accept: string, language = 'en') =>
    fetch(`${server.issuer}${path}`, { headers: { accept, 'accept-language': language } });

  for (const [path, status] of [
    ['/acount', 404],
    ['/oauth/nothing', 404],
    ['/oauth/token', 405],
    ['/oauth/par', 405],
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
        const body = await response.json();
        if (status === 405) expect(body).to.have.keys('error', 'error_description');
        else expect(body).to.include({ code: 'not_found', status, instance: path });
        expect(response.headers.get('allow')).to.equal(status === 405 ? 'POST' : null);
      });
    }
  }

  for (const [method, path, allow] of [
    ['POST', '/account', 'GET, HEAD'],
    ['POST', '/account/factors', 'GET, HEAD'],
    ['PUT', '/account/password', 'GET, HEAD, POST'],
    ['DELETE', '/password/reset', 'GET, HEAD, POST'],
  ] as const) {
    it(`${path} asked by ${method} gets a browser a page with a reference and a way on, a program JSON, and 405`, async () => {
      const ask = (accept: string) =>
        fetch(`${server.issuer}${path}`, { method, headers: { accept } });
      const response = await ask(OF_A_BROWSER);
      expect(response.status).to.equal(405);
      expect(response.headers.get('allow')).to.equal(allow);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const told = await ask('*/*');
      expect([told.status, told.headers.get('allow')]).to.deep.equal([405, allow]);
      expect(told.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await response.text())
        .to.include('<h1>This cannot be done here</h1>')
        .and.include('href="/account"')
        .and.include(response.headers.get('x-request-id') as string);
    });
  }

  for (const path of ['/device', '/password/reset', '/account', '/oauth/authorize']) {
    it(`${path} asked by HEAD answers as by GET, without a body`, async () => {
      const ask = (method: string) =>
        fetch(`${server.issuer}${path}`, {
          ...{ method, redirect: 'manual', headers: { accept: OF_A_BROWSER } },
        });
      const [head, full] = [await ask('HEAD'), await ask('GET')];
      expect(head.status).to.equal(full.status);
      expect(head.headers.get('content-type')).to.equal(full.headers.get('content-type'));
      expect(await head.text()).to.equal('');
    });
  }

  it('/ leads a browser to the account, and gets a program JSON, and 404', async () => {
    const init = { headers: { accept: OF_A_BROWSER }, redirect: 'manual' } as const;
    const led = await fetch(`${server.issuer}/`, init);
    expect(led.status).to.equal(303);
    expect(led.headers.get('location')).to.equal('/account');
    const told = await get('/', '*/*');
    expect(told.status).to.equal(404);
    expect(await told.json()).to.include({ code: 'not_found', instance: '/' });
  });

  it('where signing out is confirmed leads a browser back to the question, and gets a program 405', async () => {
    const path = '/oauth/logout/confirm';
    const init = { headers: { accept: OF_A_BROWSER }, redirect: 'manual' } as const;
    const led = await fetch(`${server.issuer}${path}?lang=de`, init);
    expect(led.status).to.equal(303);
    expect(led.headers.get('location')).to.equal('/oauth/logout?lang=de');
    expect((await get(path, 'application/json')).status).to.equal(405);
  });

  it('that names no application whose device could be connected leads to the code', async () => {
    for (const query of [
      '',
      '?application=app_none',
      '?application=cls-account',
      '?application=app_%00',
    ]) {
      const led = await fetch(`${server.issuer}/device/allowed${query}`, { redirect: 'manual' });
      expect([led.status, led.headers.get('location')], query).to.deep.equal([303, '/device']);
    }
  });

  for (const [language, title, advice] of [
    ['en', 'This invitation no longer works', 'ask the administrator of your organisation'],
    ['de', 'Diese Einladung gilt nicht mehr', 'bitten Sie die Administration Ihrer Organisation'],
  ] as const) {
    it(`an invitation that is not good any more says so, and how to go on (${language})`, async () => {
      const response = await get(`/invitation?token=${'a'.repeat(43)}`, OF_A_BROWSER, language);
      expect(response.status).to.equal(410);
      expect(await response.text())
        .to.include(`<h1>${title}</h1>`)
        .and.include(advice)
        .and.include('href="/account"')
        .and.not.include('/password/reset');
    });
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

  for (const path of ['/oauth/authorize', '/oauth/logout']) {
    it(`${path} asked by a form goes on with the same question by GET`, async () => {
      const body = 'scope=openid+email&state=a%26b&state=c';
      const response = await fetch(`${server.issuer}${path}`, {
        ...{ method: 'POST', body, redirect: 'manual' },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(response.status).to.equal(303);
      expect(response.headers.get('location')).to.equal(`${path}?${body}`);
    });

    for (const [what, type, body] of [
      ['JSON', 'application/json', '{}'],
      [
        'a form too large for an address',
        'application/x-www-form-urlencoded',
        `a=${'x'.repeat(9e3)}`,
      ],
    ] as const) {
      it(`${path} asked with ${what} gets a page that says what was expected, and 400`, async () => {
        const headers = { 'content-type': type };
        const response = await fetch(server.issuer + path, { method: 'POST', headers, body });
        expect(response.status).to.equal(400);
        expect(await response.text()).to.include('of at most 8192 bytes');
      });
    }
  }
});
