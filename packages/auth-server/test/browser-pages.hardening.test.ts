import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const EVIL = 'https://evil.example';
const SCRIPT = `"><script>alert('x')</script>`;
/** What a browser says of a form on a page of another site. */
const CROSS_SITE = { origin: EVIL, referer: `${EVIL}/`, 'sec-fetch-site': 'cross-site' };

describe('browser pages under attack', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  let third: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    portal = await relyingParty(server, { name: 'Portal' });
    third = await relyingParty(server, { name: `Third ${SCRIPT}`, firstParty: false });
  });
  after(() => server?.stop());

  const at = (path: string) => `${server.issuer}${path}`;
  const scope = () => `openid ${server.config.scopeBase}/auth/${VIEW}`;
  const begin = async (browser: Browser, parameters: Record<string, string> = {}) =>
    browser.follow((await authorizationUrl(portal, parameters)).url);
  const signedIn = async () => {
    const browser = new Browser();
    const { url } = await browser.submit(await begin(browser), server.person);
    expect(url.searchParams.has('code')).to.equal(true);
    return browser;
  };
  const isSignedIn = async (browser: Browser) =>
    (await begin(browser, { prompt: 'none' })).url.searchParams.has('code');
  const hasPassword = async (id: string) => {
    const set = 'SELECT FROM account WHERE id = $1 AND password_hash IS NOT NULL';
    return (await server.database.query(set, [id])).length === 1;
  };
  const linkFor = async (purpose: 'invitation' | 'password_reset', passwordHash?: string) => {
    const clock = { now: () => new Date() };
    const id = await sqlAccounts(server.database).create({
      email: `${purpose}-${Math.random()}@india.example`,
      customer: 'india',
      permissions: [VIEW],
      ...(passwordHash === undefined ? {} : { passwordHash }),
    });
    const { token } = await sqlAccountLinks(server.database, clock).create(id, purpose, 600);
    return { id, token };
  };
  const deviceCode = async () => {
    const tool = await relyingParty(server, {
      ...{ redirectUris: [], device: true, confidential: false },
      name: `Tool ${Math.random()} ${SCRIPT}`,
    });
    return client.initiateDeviceAuthorization(tool.config, { scope: scope() });
  };
  const post = (browser: Browser, url: string, fields: Record<string, string>, headers = {}) =>
    browser.open(url, { method: 'POST', body: new URLSearchParams(fields), headers });

  describe('a form that another site sends', () => {
    const expectRefused = async (response: Response) => {
      expect(response.status).to.equal(400);
      expect(response.headers.get('content-type')).to.include('text/html');
      expect(await response.text()).to.include('<h1>');
      expect(response.headers.get('location')).to.equal(null);
    };

    it('signs nobody in, with a password, a passkey or an organisation', async () => {
      const browser = new Browser();
      const { url } = await begin(browser);
      for (const [what, fields] of [
        ['sign-in', { ...server.person }],
        ['passkey', { credential: '{}' }],
        ['organisation', { email: server.person.email }],
      ] as const) {
        await expectRefused(await post(browser, `${url.href}/${what}`, fields, CROSS_SITE));
      }
      const page = await browser.open(url);
      expect(await page.text()).to.include('name="password"');
      expect(await isSignedIn(browser)).to.equal(false);
    });

    it('proves no second factor, though the code is right', async () => {
      const browser = new Browser();
      const { email, password, totpSecret } = server.guarded;
      const second = await browser.submit(await begin(browser), { email, password });
      const code = totpCode(totpSecret);
      const forged = await post(browser, `${second.url.href}/second-factor`, { code }, CROSS_SITE);
      await expectRefused(forged);
      const { url } = await browser.submit(second, { code });
      expect(url.searchParams.has('code'), 'the code was not used up').to.equal(true);
    });

    it('gives no consent', async () => {
      const browser = await signedIn();
      const ask = await authorizationUrl(third, { scope: scope() });
      const { url } = await browser.follow(ask.url);
      const fields = { decision: 'allow' };
      await expectRefused(await post(browser, `${url.href}/consent`, fields, CROSS_SITE));
      const again = await browser.follow((await authorizationUrl(third, { scope: scope() })).url);
      expect(await again.response.text()).to.include('value="allow"');
    });

    const linksMade = async () => (await server.database.query('SELECT FROM account_link')).length;

    it('has no message sent, and sets no password', async () => {
      const browser = new Browser();
      const page = await browser.follow(at('/password/reset'));
      const before = await linksMade();
      await expectRefused(await post(browser, page.url.href, server.person, CROSS_SITE));
      expect(await linksMade(), 'links made').to.equal(before);
      const fields = { new_password: 'a long enough passphrase of mine' };
      for (const [path, purpose] of [
        ['/password/new', 'password_reset'],
        ['/invitation', 'invitation'],
      ] as const) {
        const { id, token } = await linkFor(purpose);
        const url = at(`${path}?token=${token}`);
        await browser.open(url);
        await expectRefused(await post(browser, url, fields, CROSS_SITE));
        expect(await hasPassword(id)).to.equal(false);
      }
    });

    it('signs nobody out', async () => {
      const browser = await signedIn();
      await browser.open(at('/oauth/logout'));
      const forged = await post(
        browser,
        at('/oauth/logout/confirm'),
        { logout: 'yes' },
        CROSS_SITE,
      );
      await expectRefused(forged);
      expect(await isSignedIn(browser)).to.equal(true);
    });

    it('lets no device in', async () => {
      const begun = await deviceCode();
      const browser = await signedIn();
      await browser.open(begun.verification_uri);
      const fields = { user_code: begun.user_code, confirm: 'yes' };
      await expectRefused(await post(browser, at('/device'), fields, CROSS_SITE));
      const [row] = await server.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM protocol_state
         WHERE kind = 'DeviceCode' AND payload::text LIKE '%accountId%'`,
      );
      expect(row?.count).to.equal(0);
    });
  });

  describe('the token of a form', () => {
    const tokenIn = async (response: Response) =>
      /name="csrf" value="([^"]+)"/.exec(await response.text())?.[1] ?? '';

    it('is refused in another interaction of the same browser', async () => {
      const browser = new Browser();
      const [first, second] = [await begin(browser), await begin(browser)];
      expect(first.url.href).not.to.equal(second.url.href);
      const fields = { ...server.person, csrf: await tokenIn(first.response) };
      const refused = await post(browser, `${second.url.href}/sign-in`, fields);
      expect(refused.status).to.equal(400);
      expect((await post(browser, `${first.url.href}/sign-in`, fields)).status).to.equal(303);
    });

    it('is refused in an interaction when it is of a page whose cookie names that one', async () => {
      const browser = new Browser();
      const { url } = await begin(browser);
      const uid = url.pathname.split('/').at(-1) ?? '';
      for (const value of [uid, uid.padEnd(22, 'A').slice(0, 22)]) {
        browser.plant('cls_form', value);
        const csrf = await tokenIn(await browser.open(at('/password/reset')));
        expect(csrf).not.to.equal('');
        const fields = { ...server.person, csrf };
        expect((await post(browser, `${url.href}/sign-in`, fields)).status).to.equal(400);
      }
    });

    it('is refused with another browser’s cookie, and with another link', async () => {
      const [browser, other] = [new Browser(), new Browser()];
      const csrf = await tokenIn(await browser.open(at('/password/reset')));
      await other.open(at('/password/reset'));
      const refused = await post(other, at('/password/reset'), { ...server.person, csrf });
      expect(refused.status).to.equal(400);
      const [one, two] = [await linkFor('invitation'), await linkFor('invitation')];
      const ofOne = await tokenIn(await browser.open(at(`/invitation?token=${one.token}`)));
      const fields = { new_password: 'a long enough passphrase of mine', csrf: ofOne };
      const swapped = await post(browser, at(`/invitation?token=${two.token}`), fields);
      expect(swapped.status).to.equal(400);
      expect(await hasPassword(two.id)).to.equal(false);
    });
  });

  describe('a planted cookie', () => {
    it('never becomes the session of who signs in', async () => {
      const attacker = new Browser();
      await begin(attacker);
      for (const cookies of [
        { cls_session: 'planted-by-somebody-else-1234567890' },
        {
          cls_session: attacker.cookie('cls_session') ?? '',
          'cls_session.sig': attacker.cookie('cls_session.sig') ?? '',
        },
      ]) {
        const victim = new Browser();
        for (const [name, value] of Object.entries(cookies)) victim.plant(name, value);
        const { url } = await victim.submit(await begin(victim), server.person);
        expect(url.searchParams.has('code')).to.equal(true);
        expect(victim.cookie('cls_session')).to.be.a('string').and.not.equal(cookies.cls_session);
        expect(await isSignedIn(victim)).to.equal(true);
        expect(await isSignedIn(attacker)).to.equal(false);
      }
    });

    it('opens no sign-in of another browser, though it is of one’s own', async () => {
      const [victim, attacker] = [new Browser(), new Browser()];
      const theirs = await begin(victim);
      const own = await begin(attacker);
      for (const name of ['cls_interaction', 'cls_interaction.sig']) {
        attacker.plant(name, attacker.cookie(name) ?? '', '/interaction');
      }
      expect((await attacker.open(own.url)).status).to.equal(200);
      expect((await attacker.open(theirs.url)).status).to.equal(410);
    });

    it('is replaced by one of the server’s own making where it tells a known browser', async () => {
      const victim = new Browser();
      victim.plant('cls_device', 'planted');
      await victim.submit(await begin(victim), server.person);
      expect(victim.cookie('cls_device')).to.match(/^\d+\.[\w-]{22}\.[\w-]{43}$/);
    });

    it('is never a fault, and opens nothing, whatever is in it', async () => {
      const member = await signedIn();
      const good = member.cookie('cls_session') ?? '';
      const signature = member.cookie('cls_session.sig') ?? '';
      const { url } = await authorizationUrl(portal, { prompt: 'none' });
      for (const [session, sig] of [
        [good, ''],
        [good, 'A'.repeat(27)],
        [`${good}x`, signature],
        [good.toLowerCase(), signature],
        ['%00%ff', '%'],
        ['"', '"'],
        ['__proto__', signature],
        ['x'.repeat(4_000), signature],
      ] as const) {
        const browser = new Browser();
        for (const name of [
          'cls_session',
          'cls_device',
          'cls_form',
          'cls_language',
          'cls_resume',
        ]) {
          browser.plant(name, session);
          browser.plant(`${name}.sig`, sig);
        }
        for (const path of ['/password/reset', '/device', '/oauth/logout', '/upstream/a.example']) {
          expect((await browser.open(at(path))).status, `${path}: ${session}`).to.be.below(500);
        }
        const { url: answer } = await browser.follow(url);
        expect(answer.searchParams.get('error'), session).to.equal('login_required');
      }
      expect(await isSignedIn(member), 'and the good one still does').to.equal(true);
    });

    it('is not taken for the browser’s own where it ties a form', async () => {
      const victim = new Browser();
      victim.plant('cls_form', SCRIPT);
      expect(await (await victim.open(at('/password/reset'))).text()).not.to.include('<script>al');
      expect(victim.cookie('cls_form')).to.match(/^[\w-]{22}$/);
    });
  });

  describe('a URL in a parameter', () => {
    const NAMES = [
      ...['next', 'returnTo', 'return_to', 'continue', 'redirect', 'redirect_uri', 'redirect_url'],
      ...[
        'url',
        'target_link_uri',
        'post_logout_redirect_uri',
        'iss',
        'lang',
        'method',
        'RelayState',
      ],
    ];
    for (const target of [
      EVIL,
      '//evil.example',
      '/\\evil.example',
      `${REDIRECT_URI}@evil.example`,
    ]) {
      const query = () => NAMES.map((name) => `${name}=${encodeURIComponent(target)}`).join('&');
      /** No place that the answer could lead to. */
      const expectNoWay = async (response: Response) => {
        expect(response.headers.get('location') ?? '').not.to.include('evil');
        expect(response.headers.get('refresh')).to.equal(null);
        expect(response.headers.get('content-security-policy')).not.to.include('evil');
        // A page may keep its own address in its links, never lead to another host.
        const text = await response.clone().text();
        expect(text).not.to.match(/http-equiv="?refresh/i);
        for (const [, , link = ''] of text.matchAll(/\s(href|src|action|formaction)="([^"]*)"/gi)) {
          const { hostname } = new URL(link.replaceAll('&amp;', '&'), response.url);
          expect(hostname, link).not.to.include('evil');
        }
      };

      it(`leads nowhere: ${target}`, async () => {
        const browser = new Browser();
        for (const path of [
          ...['/password/reset', '/password/new', '/invitation', '/device', '/oauth/authorize'],
          ...['/oauth/logout', '/oauth/logout/success', '/upstream/evil.example'],
        ]) {
          await expectNoWay(await browser.open(at(`${path}?${query()}`)));
        }
        const page = await begin(browser);
        const opened = await browser.open(`${page.url.href}?${query()}`);
        await expectNoWay(opened);
        const action = `${page.url.pathname}/sign-in?${query()}`;
        const form = (await opened.text()).replace(`${page.url.pathname}/sign-in`, action);
        const { url } = await browser.submit({ ...page, text: form }, server.person);
        expect(`${url.origin}${url.pathname}`).to.equal(REDIRECT_URI);
        const out = client.buildEndSessionUrl(portal.config, { post_logout_redirect_uri: target });
        const refused = await browser.open(out);
        expect(refused.status).to.equal(400);
        await expectNoWay(refused);
      });
    }
  });

  describe('text of somebody else’s', () => {
    const expectEscaped = async (response: Response, shown: boolean) => {
      expect(response.headers.get('content-type')).to.include('text/html');
      const text = await response.clone().text();
      expect(text).not.to.include('<script>alert');
      expect(text, 'out of an attribute').not.to.match(/"(?:>|&gt;)(?:<|&lt;)script/);
      if (shown) expect(text).to.include('&quot;&gt;&lt;script&gt;');
    };

    it('is escaped on the page of a sign-in: the hint, the e-mail, the application’s name', async () => {
      const browser = new Browser();
      const parameters = { login_hint: SCRIPT, ui_locales: SCRIPT, state: SCRIPT };
      const { url } = await authorizationUrl(third, { ...parameters, scope: scope() });
      const page = await browser.follow(url);
      await expectEscaped(page.response, true);
      const refused = await browser.submit(page, { email: `a@b${SCRIPT}`, password: 'wrong' });
      expect(refused.response.status).to.equal(422);
      await expectEscaped(refused.response, true);
      const consent = await browser.submit(refused, server.person);
      await expectEscaped(consent.response, true);
    });

    it('is escaped where a password is forgotten', async () => {
      const browser = new Browser();
      const email = `a@b.example${SCRIPT.replaceAll(' ', '')}`;
      for (const typed of [email, SCRIPT]) {
        const page = await browser.follow(at('/password/reset'));
        await expectEscaped((await browser.submit(page, { email: typed })).response, true);
      }
      await expectEscaped(await browser.open(at(`/password/new?token=${SCRIPT}`)), false);
    });

    it('is escaped where a device is let in', async () => {
      const browser = new Browser();
      const page = await browser.follow(at(`/device?user_code=${encodeURIComponent(SCRIPT)}`));
      await expectEscaped(page.response, false);
      const form = await browser.follow(at('/device'));
      await expectEscaped((await browser.submit(form, { user_code: SCRIPT })).response, true);
      const { verification_uri: uri, user_code } = await deviceCode();
      const confirm = await browser.submit(await browser.follow(uri), { user_code });
      await expectEscaped(confirm.response, true);
    });

    it('is escaped where an error is told', async () => {
      const browser = new Browser();
      for (const name of ['client_id', 'redirect_uri', 'request_uri', 'request', 'resource']) {
        const { url } = await authorizationUrl(portal, { redirect_uri: `${EVIL}/` });
        url.searchParams.set(name, SCRIPT);
        const response = await browser.open(url);
        expect(response.status).to.equal(400);
        await expectEscaped(response, false);
      }
      const script = encodeURIComponent(SCRIPT);
      for (const path of [
        `/upstream/upstream.example?error=${script}&error_description=${script}&state=${script}`,
        `/oauth/logout?id_token_hint=${script}&state=${script}`,
        `/oauth/logout?client_id=${script}`,
        `/oauth/logout/success?client_id=${script}`,
      ]) {
        await expectEscaped(await browser.open(at(path)), false);
      }
    });
  });

  it('shows each page in no frame, from no store, and with nothing from elsewhere', async () => {
    const browser = new Browser();
    const begun = await deviceCode();
    const reset = await browser.follow(at('/password/reset'));
    const page = await begin(browser);
    const wrong = await browser.submit(page, { ...server.person, password: 'wrong' });
    const code = await browser.submit(await begin(browser), {
      email: server.guarded.email,
      password: PASSWORD,
    });
    const member = await signedIn();
    const consent = (await authorizationUrl(third, { scope: scope() })).url;
    const out = await member.follow(at('/oauth/logout'));
    const { token } = await linkFor('invitation');
    const pages = [
      ...[reset, page, wrong, code, out].map(({ response }) => response),
      (await browser.submit(reset, server.person)).response,
      (await member.follow(consent)).response,
      await browser.open(at(`/invitation?token=${token}`)),
      (
        await browser.submit(await browser.follow(begun.verification_uri), {
          user_code: begun.user_code,
        })
      ).response,
      (await member.submit(out, { logout: 'yes' })).response,
      await new Browser().open(page.url),
      ...(await Promise.all(
        ['/device', '/invitation', '/password/new', '/oauth/authorize', '/upstream/a.example'].map(
          (path) => browser.open(at(path)),
        ),
      )),
      await post(browser, at('/password/reset'), {}),
    ];
    for (const { url, headers } of pages) {
      expect(headers.get('content-type'), url).to.equal('text/html; charset=utf-8');
      expect(headers.get('cache-control'), url).to.equal('no-store');
      expect(headers.get('x-frame-options'), url).to.equal('DENY');
      expect(headers.get('x-content-type-options'), url).to.equal('nosniff');
      expect(headers.get('referrer-policy'), url).to.equal('no-referrer');
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy, url).to.include.members([
        "default-src 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
    }
  });
});
