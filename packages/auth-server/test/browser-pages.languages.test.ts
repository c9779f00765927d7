import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

interface Shown {
  readonly url: URL;
  readonly response: Response;
}

describe('the other language of a page', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    portal = await relyingParty(server);
  });
  after(() => server?.stop());

  const at = (path: string) => `${server.issuer}${path}`;
  const begin = async (browser: Browser) =>
    browser.follow((await authorizationUrl(portal)).url.href);
  const deviceCode = async () => {
    const tool = await relyingParty(server, {
      ...{ redirectUris: [], device: true, confidential: false },
    });
    return (await client.initiateDeviceAuthorization(tool.config, { scope: 'openid' })).user_code;
  };

  const PAGES: readonly (readonly [
    what: string,
    titles: readonly [string, string],
    show: (browser: Browser) => Promise<Shown>,
  ])[] = [
    [
      'the sign-in page that came back with a problem',
      ['Sign in', 'Anmelden'],
      async (browser) =>
        browser.submit(await begin(browser), { email: 'x@india.example', password: 'x' }),
    ],
    [
      'the code that came back with a problem',
      ['Confirm that it is you', 'Bestätigen Sie, dass Sie es sind'],
      async (browser) => {
        const { email, password } = server.guarded;
        const second = await browser.submit(await begin(browser), { email, password });
        return browser.submit(second, { code: '12' });
      },
    ],
    [
      'the organisation that came back with a problem',
      ['Sign in through your organisation', 'Über Ihre Organisation anmelden'],
      async (browser) => {
        const { url } = await begin(browser);
        const page = await browser.follow(`${url.href}/organisation`);
        return browser.submit(page, { email: 'x@nowhere.example' });
      },
    ],
    [
      'the password reset that came back with a problem',
      ['Reset your password', 'Passwort zurücksetzen'],
      async (browser) => browser.submit(await browser.follow(at('/password/reset')), { email: '' }),
    ],
    [
      'the code of a device',
      ['Connect a device', 'Gerät verbinden'],
      (browser) => browser.follow(at('/device')),
    ],
    [
      'the code of a device that came back with a problem',
      ['Connect a device', 'Gerät verbinden'],
      async (browser) =>
        browser.submit(await browser.follow(at('/device')), { user_code: 'BBBB-BBBB' }),
    ],
    [
      'the question whether to connect a device',
      ['Connect this device?', 'Dieses Gerät verbinden?'],
      async (browser) =>
        browser.submit(await browser.follow(at('/device')), { user_code: await deviceCode() }),
    ],
    [
      'a device that was denied',
      ['Device not connected', 'Gerät nicht verbunden'],
      async (browser) => {
        const page = await browser.follow(at('/device'));
        const question = await browser.submit(page, { user_code: await deviceCode() });
        return browser.submit(question, { abort: 'yes' });
      },
    ],
    [
      'the question whether to sign out',
      ['Sign out?', 'Abmelden?'],
      async (browser) => {
        await browser.submit(await begin(browser), server.person);
        return browser.follow(at('/oauth/logout'));
      },
    ],
    [
      'an address where there is nothing',
      ['There is nothing at this address', 'Unter dieser Adresse gibt es nichts'],
      (browser) => browser.follow(at('/acount')),
    ],
  ];

  for (const [what, [english, german], show] of PAGES) {
    it(`is offered on ${what}, and is that page`, async () => {
      const browser = new Browser();
      const { url, response } = await show(browser);
      const text = await response.text();
      expect(text).to.include(`<h1>${english}</h1>`);
      const [, href = ''] = /<a href="([^"]*)" lang="de"/.exec(text) ?? [];
      let other: Shown = await browser.follow(new URL(href.replaceAll('&amp;', '&'), url));
      let translated = await other.response.text();
      if (translated.includes('data-submit-now')) {
        other = await browser.submit({ ...other, text: translated }, {});
        translated = await other.response.text();
      }
      expect(translated).to.include('<html lang="de">').and.include(`<h1>${german}</h1>`);
    });
  }

  it('is not offered where asking again is another page', async () => {
    const browser = new Browser();
    const form = await browser.follow(at('/password/reset'));
    const sent = await browser.submit(form, { email: 'x@india.example' });
    expect(await sent.response.text())
      .to.include('Check your e-mail')
      .and.not.include('lang="de"');
    const refused = await browser.open(at('/password/reset'), { method: 'POST' });
    expect(await refused.text())
      .to.include('We could not')
      .and.not.include('lang="de"');
  });

  it('is kept from an application’s ui_locales to the page and the message of a new password', async () => {
    const browser = new Browser();
    const { url } = await authorizationUrl(portal, { ui_locales: 'de' });
    const signIn = await (await browser.follow(url)).response.text();
    const [, reset = ''] = /<a href="([^"]*\/password\/reset[^"]*)"/.exec(signIn) ?? [];
    const asked = await browser.submit(await browser.follow(at(reset)), server.person);
    expect(await asked.response.text()).to.include('Sehen Sie in Ihr Postfach');
    const letter = await eventually(async () => {
      const [name = ''] = readdirSync(server.config.mailOutbox).filter((one) => /txt$/.test(one));
      return readFileSync(join(server.config.mailOutbox, name), 'utf8');
    });
    const [link = ''] = /https?:\/\/\S+\/password\/new\S+/.exec(letter) ?? [];
    expect(new URL(link).searchParams.get('lang')).to.equal('de');
    const mailbox = new Browser();
    expect(await (await mailbox.follow(link)).response.text()).to.include(
      'Neues Passwort festlegen',
    );
    const { response } = await mailbox.follow(at('/account'));
    expect(await response.text()).to.include('<html lang="de">');
  });

  it('is kept from an application’s ui_locales to the error page of its sign-in', async () => {
    const browser = new Browser();
    const { url } = await browser.follow(
      (await authorizationUrl(portal, { ui_locales: 'de' })).url,
    );
    const refused = await browser.open(`${url.href}/sign-in`, { method: 'POST' });
    expect(refused.status).to.equal(400);
    expect(refused.headers.get('content-language')).to.equal('de');
  });

  it('is remembered where the address leads on to another page', async () => {
    const browser = new Browser();
    const { response } = await browser.follow(at('/account?lang=de'));
    expect(await response.text()).to.include('<html lang="de">');
  });

  for (const [what, path] of [
    ['signing out', '/oauth/logout?'],
    ['a sign-out that cannot be', '/oauth/logout?id_token_hint=x&'],
    ['an application that is not known', '/oauth/authorize?client_id=unknown&'],
  ] as const) {
    it(`is what the application asks for where the page is of ${what}`, async () => {
      const language = async (query: string) =>
        (await new Browser().open(at(`${path}${query}`))).headers.get('content-language');
      expect(await language('')).to.equal('en');
      expect(await language('ui_locales=fr%20de-CH')).to.equal('de');
    });
  }
});
