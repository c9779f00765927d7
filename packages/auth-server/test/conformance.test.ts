/**
 * The modules of the OpenID Foundation's basic, config and RP-initiated-logout plans that apply to
 * this provider, under their names there, with a client that sends no PKCE, as the plans' client. Left
 * out: the claims parameter, scopes that are not offered (address, phone), unsigned ID tokens. Modules
 * with many conditions, the form_post plan and the back-channel plan: conformance.plans.test.ts.
 *
 * @see https://openid.net/certification/certification-program/
 */
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { applicationRecords } from './support/client-records.ts';
import {
  Browser,
  exchange,
  type Flow,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
  withoutPkce,
  authorizationUrl as withPkce,
} from './support/relying-party.ts';

describe('a conformance module', () => {
  let server: TestAuthServer;
  let party: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine, { REFRESH_GRACE_S: '0' });
    party = await relyingParty(server, { name: 'Conformance', withoutPkce: true });
  });
  after(() => server?.stop());

  type Parameters = Record<string, string>;
  /** As the plans send it. */
  const authorizationUrl = (one: RelyingParty, parameters?: Parameters) =>
    withoutPkce(withPkce(one, parameters));
  const signInOn = async (browser: Browser, url: URL) => {
    const page = await browser.follow(url);
    return browser.submit(page, { email: server.person.email, password: PASSWORD });
  };
  const authorize = async (parameters: Parameters = {}, browser = new Browser()) => {
    const flow = await authorizationUrl(party, parameters);
    const { url } = await signInOn(browser, flow.url);
    return { browser, flow, url };
  };
  const tokensOf = async (parameters: Parameters = {}, browser = new Browser()) => {
    const { flow, url } = await authorize(parameters, browser);
    return { browser, flow, url, tokens: await exchange(party, flow, url) };
  };
  /** A further request of a browser that is signed in: the callback, or a page. */
  const again = async (browser: Browser, parameters: Parameters) => {
    const flow = await authorizationUrl(party, parameters);
    return { flow, ...(await browser.follow(flow.url)) };
  };
  const asked = (url: URL) => url.pathname.startsWith('/interaction/');
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: client.ResponseBodyError) => error.error,
    );
  const claimsOf = async ({ flow, url }: { flow: Flow; url: URL }) =>
    (await exchange(party, flow, url)).claims();

  it('oidcc-response-type-missing', async () => {
    const { url } = await authorizationUrl(party);
    url.searchParams.delete('response_type');
    const answer = await new Browser().follow(url);
    expect(answer.url.searchParams.get('error')).to.equal('invalid_request');
  });

  for (const method of ['GET', 'POST'] as const) {
    it(`oidcc-userinfo-${method === 'GET' ? 'get' : 'post-header'}`, async () => {
      const { tokens } = await tokensOf();
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const response = await fetch(`${server.issuer}/oauth/userinfo`, { method, headers });
      expect(await response.json()).to.include({ sub: tokens.claims()?.sub });
    });
  }

  it('oidcc-userinfo-post-body', async () => {
    const { tokens } = await tokensOf();
    const body = new URLSearchParams({ access_token: tokens.access_token });
    const response = await fetch(`${server.issuer}/oauth/userinfo`, { method: 'POST', body });
    expect(await response.json()).to.include({ sub: tokens.claims()?.sub });
  });

  it('oidcc-idtoken-signature', async () => {
    const { tokens } = await tokensOf();
    const keys = createRemoteJWKSet(new URL(party.config.serverMetadata().jwks_uri ?? ''));
    const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', keys, {
      issuer: server.issuer,
      audience: party.id,
    });
    expect(protectedHeader.alg).to.equal('RS256');
  });

  it('oidcc-ensure-post-request-succeeds', async () => {
    const { browser, tokens } = await tokensOf();
    const flow = await authorizationUrl(party);
    const { origin, pathname, searchParams: body } = flow.url;
    const { url } = await browser.follow(`${origin}${pathname}`, { method: 'POST', body });
    expect((await claimsOf({ flow, url }))?.sub).to.equal(tokens.claims()?.sub);
  });

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const flow = await withPkce(party);
    const { url } = await signInOn(new Browser(), flow.url);
    const wrong = { ...flow, verifier: client.randomPKCECodeVerifier() };
    expect(await errorOf(exchange(party, wrong, url))).to.equal('invalid_grant');
    const right = await withPkce(party);
    const callback = (await signInOn(new Browser(), right.url)).url;
    expect((await exchange(party, right, callback)).claims()?.sub).to.be.a('string');
  });

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const flow = await authorizationUrl(party);
    flow.url.searchParams.delete('nonce');
    const { url } = await signInOn(new Browser(), flow.url);
    const tokens = await client.authorizationCodeGrant(party.config, url, {
      expectedState: flow.state,
    });
    expect(tokens.claims()?.nonce).to.equal(undefined);
  });

  it('oidcc-scope-email', async () => {
    const { tokens } = await tokensOf({ scope: 'openid email' });
    const sub = tokens.claims()?.sub ?? '';
    const userinfo = await client.fetchUserInfo(party.config, tokens.access_token, sub);
    expect(userinfo).to.include({ email: server.person.email, email_verified: true });
  });

  for (const display of ['page', 'popup']) {
    it(`oidcc-display-${display}`, async () => {
      expect((await tokensOf({ display })).tokens.claims()?.sub).to.be.a('string');
    });
  }

  it('oidcc-prompt-login', async () => {
    const { browser, tokens } = await tokensOf();
    await new Promise((done) => setTimeout(done, 1_100));
    const flow = await authorizationUrl(party, { prompt: 'login' });
    const page = await browser.follow(flow.url);
    expect(asked(page.url)).to.equal(true);
    const { url } = await browser.submit(page, { email: server.person.email, password: PASSWORD });
    const claims = await claimsOf({ flow, url });
    expect(claims?.auth_time).to.be.greaterThan(
      tokens.claims()?.auth_time ?? Number.POSITIVE_INFINITY,
    );
  });

  for (const prompt of ['select_account', 'select_account consent', 'login  select_account ']) {
    it(`lets a person choose an account by signing in: prompt=${prompt}`, async () => {
      const { browser } = await tokensOf();
      const { url } = await authorizationUrl(party, { prompt });
      const page = await browser.follow(url);
      expect(asked(page.url)).to.equal(true);
      expect(await page.response.text()).to.include('name="password"');
    });
  }

  it('oidcc-prompt-none-not-logged-in', async () => {
    const { url } = await again(new Browser(), { prompt: 'none' });
    expect(url.searchParams.get('error')).to.equal('login_required');
  });

  it('oidcc-prompt-none-logged-in', async () => {
    const { browser, tokens } = await tokensOf();
    const claims = await claimsOf(await again(browser, { prompt: 'none' }));
    expect(claims).to.include({ sub: tokens.claims()?.sub, auth_time: tokens.claims()?.auth_time });
  });

  it('answers prompt=none with login_required where the sign-in is too old or too weak', async () => {
    const { browser } = await authorize();
    const weak = await again(browser, { prompt: 'none', acr_values: 'urn:cls:acr:mfa' });
    expect(weak.url.searchParams.get('error')).to.equal('login_required');
    await new Promise((done) => setTimeout(done, 2_100));
    const old = await again(browser, { prompt: 'none', max_age: '1' });
    expect(old.url.searchParams.get('error')).to.equal('login_required');
  });

  it('oidcc-max-age-1', async () => {
    const { browser, tokens } = await tokensOf();
    await new Promise((done) => setTimeout(done, 2_100));
    const flow = await authorizationUrl(party, { max_age: '1' });
    const page = await browser.follow(flow.url);
    expect(asked(page.url)).to.equal(true);
    const { url } = await browser.submit(page, { email: server.person.email, password: PASSWORD });
    const claims = await claimsOf({ flow, url });
    const first = tokens.claims();
    expect(claims?.sub).to.equal(first?.sub);
    expect(claims?.auth_time).to.be.greaterThan(first?.auth_time ?? Number.POSITIVE_INFINITY);
  });

  it('oidcc-max-age-10000', async () => {
    const { browser, tokens } = await tokensOf();
    const claims = await claimsOf(await again(browser, { max_age: '10000' }));
    expect(claims?.auth_time).to.equal(tokens.claims()?.auth_time);
  });

  it('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
    expect((await tokensOf({ extra: 'foobar' })).tokens.claims()?.sub).to.be.a('string');
  });

  it('oidcc-id-token-hint', async () => {
    const { browser, tokens } = await tokensOf();
    const parameters = { prompt: 'none', id_token_hint: tokens.id_token ?? '' };
    expect((await claimsOf(await again(browser, parameters)))?.sub).to.equal(tokens.claims()?.sub);
  });

  it('oidcc-login-hint', async () => {
    const { response } = await again(new Browser(), { login_hint: 'anna@india.example' });
    expect(await response.text()).to.include('value="anna@india.example"');
  });

  it('oidcc-ui-locales', async () => {
    const { response } = await again(new Browser(), { ui_locales: 'de-CH en' });
    expect(await response.text()).to.include('<html lang="de"');
  });

  it('oidcc-claims-locales', async () => {
    expect((await tokensOf({ claims_locales: 'se' })).tokens.claims()?.sub).to.be.a('string');
  });

  it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { tokens } = await tokensOf({ acr_values: 'urn:cls:acr:password' });
    expect(tokens.claims()?.['acr']).to.equal('urn:cls:acr:password');
  });

  for (const name of ['oidcc-codereuse', 'oidcc-codereuse-30seconds']) {
    it(name, async () => {
      const { flow, url, tokens } = await tokensOf();
      const aged = await server.database.query(
        `UPDATE protocol_state SET consumed_at = consumed_at - make_interval(secs => $1),
           expires_at = expires_at - make_interval(secs => $1)
         WHERE kind = 'AuthorizationCode' AND consumed_at > now() - interval '10 seconds'
         RETURNING 1`,
        [name === 'oidcc-codereuse' ? 0 : 30],
      );
      expect(aged).not.to.have.length(0);
      expect(await errorOf(exchange(party, flow, url))).to.equal('invalid_grant');
      // What the first use gave ends with the second.
      const refreshed = client.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
      expect(await errorOf(refreshed)).to.equal('invalid_grant');
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const userinfo = await fetch(`${server.issuer}/oauth/userinfo`, { headers });
      expect(userinfo.status).to.equal(401);
    });
  }

  it('oidcc-ensure-registered-redirect-uri', async () => {
    const { url } = await authorizationUrl(party, { redirect_uri: `${REDIRECT_URI}?foo=bar` });
    const response = await new Browser().open(url);
    expect([response.status, response.headers.get('location')]).to.deep.equal([400, null]);
  });

  it('oidcc-server-client-secret-post', async () => {
    const made = await applicationRecords(server.database).create({
      name: 'Secret by post',
      firstParty: true,
      confidential: true,
      redirectUris: [REDIRECT_URI],
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      device: false,
      withoutPkce: true,
    });
    const authentication = client.ClientSecretPost(made.secret?.expose() ?? '');
    const options = { execute: [client.allowInsecureRequests] };
    const issuer = new URL(server.issuer);
    const config = await client.discovery(issuer, made.id, undefined, authentication, options);
    const posting = { id: made.id, config };
    const flow = await authorizationUrl(posting);
    const { url } = await signInOn(new Browser(), flow.url);
    expect((await exchange(posting, flow, url)).claims()?.aud).to.equal(posting.id);
  });

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const { url } = await authorizationUrl(party, { request: 'eyJhbGciOiJub25lIn0.e30.' });
    const answer = await new Browser().follow(url);
    expect(answer.url.searchParams.get('error')).to.equal('request_not_supported');
  });

  describe('of RP-initiated logout', () => {
    const BACK = 'https://portal.example/';
    const signOut = async (browser: Browser, parameters: Parameters) => {
      const url = new URL(`${server.issuer}/oauth/logout`);
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const page = await browser.follow(url);
      // Our own application signs out at once, with the token of the session.
      if (!page.url.pathname.endsWith('/oauth/logout')) return page;
      return browser.submit(page, { logout: 'yes' });
    };
    const stillSignedIn = async (browser: Browser) =>
      (await again(browser, { prompt: 'none' })).url.searchParams.has('code');

    it('oidcc-rp-initiated-logout-discovery-endpoint-verification', () => {
      const { end_session_endpoint: endpoint } = party.config.serverMetadata();
      expect(endpoint).to.equal(`${server.issuer}/oauth/logout`);
    });

    for (const [name, parameters, target] of [
      [
        'oidcc-rp-initiated-logout',
        { post_logout_redirect_uri: BACK, state: 'x' },
        `${BACK}?state=x`,
      ],
      ['oidcc-rp-initiated-logout-no-state', { post_logout_redirect_uri: BACK }, BACK],
      ['oidcc-rp-initiated-logout-no-post-logout-redirect-uri', { state: 'x' }, undefined],
      ['oidcc-rp-initiated-logout-only-state', { state: 'x' }, undefined],
      ['oidcc-rp-initiated-logout-no-params', {}, undefined],
    ] as const) {
      it(name, async () => {
        const { browser, tokens } = await tokensOf();
        const bare = name.endsWith('only-state') || name.endsWith('no-params');
        const hint = bare ? {} : { id_token_hint: tokens.id_token ?? '' };
        const { url, response } = await signOut(browser, { ...hint, ...parameters });
        if (target !== undefined) expect(url.href).to.equal(target);
        else expect(await response.text()).to.include('signed out');
        expect(await stillSignedIn(browser)).to.equal(false);
      });
    }

    for (const [name, change] of [
      [
        'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
        { post_logout_redirect_uri: 'https://evil.example/' },
      ],
      [
        'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
        { post_logout_redirect_uri: `${BACK}?foo=bar` },
      ],
      [
        'oidcc-rp-initiated-logout-bad-id-token-hint',
        { id_token_hint: 'hs256', post_logout_redirect_uri: BACK },
      ],
    ] as const) {
      it(name, async () => {
        const { browser, tokens } = await tokensOf();
        const url = new URL(`${server.issuer}/oauth/logout`);
        const bad = await unknownKeyHint(tokens.id_token ?? '');
        const all: Parameters = { id_token_hint: tokens.id_token ?? '', ...change };
        if (all['id_token_hint'] === 'hs256') all['id_token_hint'] = bad;
        for (const [key, value] of Object.entries(all))
          if (value !== '') url.searchParams.set(key, value);
        const { response } = await browser.follow(url);
        expect(response.status).to.equal(400);
        const text = await response.text();
        expect(text).to.include('<code>req_');
        expect(await stillSignedIn(browser)).to.equal(true);
        const [, way = ''] = /<a class="button primary" href="([^"]*)">Sign out</.exec(text) ?? [];
        await browser.submit(await browser.follow(new URL(way, url)), { logout: 'yes' });
        expect(await stillSignedIn(browser), 'by the way that the page offers').to.equal(false);
      });
    }

    it('oidcc-rp-initiated-logout-no-id-token-hint', async () => {
      const { browser } = await tokensOf();
      const { url, response } = await signOut(browser, { post_logout_redirect_uri: BACK });
      // The owner of the address is unknown: people stay here.
      expect(url.origin).to.equal(server.issuer);
      expect(await response.text()).to.include('signed out');
    });

    it('oidcc-rp-initiated-logout-modified-id-token-hint', async () => {
      const { browser, tokens } = await tokensOf();
      const url = new URL(`${server.issuer}/oauth/logout`);
      const unsigned = new UnsecuredJWT(decodeJwt(tokens.id_token ?? '')).encode();
      url.searchParams.set('id_token_hint', unsigned);
      url.searchParams.set('post_logout_redirect_uri', BACK);
      expect((await browser.follow(url)).response.status).to.equal(400);
      expect(await stillSignedIn(browser)).to.equal(true);
    });
  });
});

/** Well-formed, and signed by a key that the provider does not have. */
function unknownKeyHint(idToken: string): Promise<string> {
  const key = new TextEncoder().encode('a key of the one who made this token');
  return new SignJWT(decodeJwt(idToken)).setProtectedHeader({ alg: 'HS256' }).sign(key);
}
