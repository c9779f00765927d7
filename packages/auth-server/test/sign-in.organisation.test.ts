import { systemClock } from '@cls/shared/clock';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { Secret as TotpSecret } from 'otpauth';
import { sqlTotpFactors } from '../src/factors/sql-totp-factors.ts';
import {
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import { startOrganisation } from './support/organisation.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const DOMAIN = 'india.example';

describe('the first sign-in through the organisation, in a browser where one is signed in', () => {
  let server: TestAuthServer;
  let upstream: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    upstream = await startOrganisation(server, DOMAIN);
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(async () => {
    await server?.stop();
    await upstream?.stop();
  });

  const withPassword = async (browser: Browser, email: string) => {
    const flow = await authorizationUrl(portal, {
      scope: 'openid offline_access',
    });
    const page = await browser.follow(flow.url);
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    return exchange(portal, flow, url);
  };
  /** As far as the place to which the organisation sends the browser back. */
  const throughOrganisation = async (browser: Browser, url: URL, email: string) => {
    // Who is signed in is known, and the first form of the page is the way to the organisation.
    const there = await browser.submit(await browser.follow(url), { email });
    expect(there.url.origin).to.equal(upstream.issuer);
    const theirs = new Browser();
    const signIn = await theirs.follow(there.url);
    const back = await theirs.submit(signIn, { email, password: PASSWORD });
    expect(back.url.pathname).to.equal(`/upstream/${DOMAIN}`);
    return browser.follow(back.url);
  };

  it('arrives at the application, and ends what the password had opened', async () => {
    const { email } = server.person;
    const [browser, elsewhere] = [new Browser(), new Browser()];
    const tokens = await withPassword(browser, email);
    await withPassword(elsewhere, email);
    const flow = await authorizationUrl(portal, { prompt: 'login' });
    const { url, response } = await throughOrganisation(browser, flow.url, email);
    expect([url.origin, response.status]).to.deep.equal(['https://portal.example', 303]);
    const { access_token: token } = await exchange(portal, flow, url);
    expect(token).to.be.a('string');
    const account = await browser.follow(`${server.issuer}/account`);
    expect(account.url.pathname).to.equal('/account');
    expect(await account.response.text(), 'there is no password to change')
      .to.include('India (127.0.0.1')
      .and.not.include('/account/password');
    const other = await elsewhere.follow(`${server.issuer}/account`);
    expect(other.url.pathname).to.match(/^\/interaction\//);
    const refused = await client
      .refreshTokenGrant(portal.config, tokens.refresh_token ?? '')
      .catch((error: { error?: string }) => error.error);
    expect(refused).to.equal('invalid_grant');
  });

  describe('with a second factor here', () => {
    const MFA = 'urn:cls:acr:mfa';
    const newPerson = async (name: string) => {
      const email = `${name}@${DOMAIN}`;
      await createPerson(upstream.database, email);
      const id = await createPerson(server.database, email);
      const secret = new TotpSecret({ size: 20 }).base32;
      const sealer = aesGcmSealer(new Secret(KEY));
      await sqlTotpFactors(server.database, sealer, systemClock).enrol(id, secret);
      // Each code works once. That of the step before could have ended when it arrives.
      const offsets = [0, 30];
      return { email, code: () => totpCode(secret, offsets.shift()) };
    };
    const arrive = async (browser: Browser, email: string, more: Record<string, string> = {}) => {
      const flow = await authorizationUrl(portal, { login_hint: email, ...more });
      const at = await throughOrganisation(browser, flow.url, email);
      const here = at.url.origin === server.issuer;
      return { flow, at, text: here ? await at.response.clone().text() : '' };
    };
    const signOut = async (browser: Browser) => {
      const page = await browser.follow(`${server.issuer}/oauth/logout`);
      await browser.submit(page, { logout: 'yes' });
    };

    it('offers to remember the device where it is asked for, and then asks no more', async () => {
      const { email, code } = await newPerson('remembered');
      const lines: string[] = [];
      const browser = new Browser(async (url, init) => {
        const response = await fetch(url, init);
        lines.push(...response.headers.getSetCookie());
        return response;
      });
      const first = await arrive(browser, email);
      expect(first.text).to.include('name="remember_device"').and.not.include('stay signed in');
      const wrong = await browser.submit(first.at, { code: '000000', remember_device: 'yes' });
      const again = await wrong.response.clone().text();
      expect(again).to.match(/name="remember_device" value="yes" checked/);
      const { url } = await browser.submit(wrong, { code: code(), remember_device: 'yes' });
      expect((await exchange(portal, first.flow, url)).claims()?.['acr']).to.equal(MFA);
      // The session ends with the browser all the same: that is for the organisation to say.
      const sessions = lines.filter((line) => /^cls_session=[^;]/.test(line));
      expect(sessions).not.to.have.length(0);
      for (const line of sessions) expect(line).not.to.match(/expires=|max-age=/i);
      await signOut(browser);
      const second = await arrive(browser, email);
      const tokens = await exchange(portal, second.flow, second.at.url);
      expect(tokens.claims()?.['acr']).to.equal('urn:cls:acr:remembered');
      await signOut(browser);
      // Not where an application wants one.
      const strict = await arrive(browser, email, { acr_values: MFA });
      expect(strict.text)
        .to.include('name="code"')
        .and.match(/remember_device" value="yes" checked/);
    });

    it('asks for it each time without the tick', async () => {
      const { email, code } = await newPerson('not-remembered');
      const browser = new Browser();
      const { at } = await arrive(browser, email);
      await browser.submit(at, { code: code() });
      await signOut(browser);
      expect((await arrive(browser, email)).text).to.include('name="code"');
    });
  });
});
