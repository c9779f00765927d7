/**
 * Modules of the OpenID Foundation's plans that check many conditions, and the plans for form_post and
 * back-channel logout; under their names there, with a client that sends no PKCE.
 *
 * @see https://openid.net/certification/certification-program/
 */
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  UnsecuredJWT,
} from 'jose';
import * as client from 'openid-client';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { type Portal, startPortal } from './support/portal.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type Flow,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
  withoutPkce,
} from './support/relying-party.ts';

const EMAIL = 'conformance@india.example';
const UNREGISTERED = 'https://evil.example/callback';

describe('a conformance module with a client that sends no PKCE', () => {
  let server: TestAuthServer;
  let party: RelyingParty;
  let second: RelyingParty;
  let portal: Portal;
  before(async () => {
    server = await startTestAuthServer(anyEngine, { REFRESH_GRACE_S: '0' });
    portal = await startPortal('Portal');
    const id = await createPerson(server.database, EMAIL);
    await sqlAccounts(server.database).rename(id, 'Asha Rao');
    party = await relyingParty(server, { withoutPkce: true });
    second = await relyingParty(server, {
      ...{ withoutPkce: true, backchannelLogoutUri: `${portal.origin}/backchannel` },
    });
  });
  after(async () => {
    await server?.stop();
    await portal?.stop();
  });

  type Parameters = Record<string, string>;
  const begin = (parameters: Parameters = {}, of = party) =>
    withoutPkce(authorizationUrl(of, parameters));
  const signIn = async (flow: Flow, browser = new Browser()) =>
    browser.submit(await browser.follow(flow.url), { email: EMAIL, password: PASSWORD });
  const tokensOf = async (parameters: Parameters = {}, of = party, browser = new Browser()) => {
    const flow = await begin(parameters, of);
    const { url } = await signIn(flow, browser);
    return { flow, url, browser, tokens: await exchange(of, flow, url) };
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: client.ResponseBodyError) => error.error,
    );
  const userinfo = (token: string, sub: string) => client.fetchUserInfo(party.config, token, sub);
  /** 64 symbols: 6 bits each, where every one may come. */
  const bitsOf = (text: string) => (/^[\w~.-]+$/.test(text) ? text.length * 6 : 0);

  it('oidcc-server', async () => {
    const flow = await begin();
    const { url } = await signIn(flow);
    expect(`${url.origin}${url.pathname}`).to.equal(REDIRECT_URI);
    expect([...url.searchParams.keys()].sort()).to.deep.equal(['code', 'iss', 'state']);
    expect(url.hash).to.equal('');
    expect(url.searchParams.get('iss')).to.equal(server.issuer);
    expect(url.searchParams.get('state')).to.equal(flow.state);
    expect(bitsOf(url.searchParams.get('code') ?? '')).to.be.at.least(128);
    let answer: Response | undefined;
    const { config } = party;
    config[client.customFetch] = async (to, init) => {
      answer = await fetch(to, init as RequestInit);
      return answer.clone();
    };
    const tokens = await exchange(party, flow, url);
    expect(answer?.headers.get('content-type')).to.match(/^application\/json/);
    expect(answer?.headers.get('cache-control')).to.equal('no-store');
    expect(tokens.token_type).to.equal('bearer');
    expect(tokens.expires_in).to.be.within(1, 86_400);
    expect(bitsOf(tokens.access_token)).to.be.at.least(128);
    const { alg, kid } = decodeProtectedHeader(tokens.id_token ?? '');
    expect([alg, typeof kid]).to.deep.equal(['RS256', 'string']);
    const claims = decodeJwt(tokens.id_token ?? '');
    const now = Date.now() / 1_000;
    expect(claims).to.include({ iss: server.issuer, aud: party.id, nonce: flow.nonce });
    expect(claims.sub).to.match(/^[\x20-\x7e]{1,255}$/);
    expect(claims.iat).to.be.within(now - 300, now + 5);
    expect(claims.exp).to.be.within(now, now + 86_400);
    expect(claims['auth_time']).to.be.at.most(now + 5);
    expect(claims['azp'] ?? party.id).to.equal(party.id);
    const person = await userinfo(tokens.access_token, claims.sub ?? '');
    expect(person.sub).to.equal(claims.sub);
    expect(answer?.headers.get('content-type')).to.match(/^application\/json/);
  });

  it('oidcc-scope-profile', async () => {
    const { tokens } = await tokensOf({ scope: 'openid profile' });
    const person = await userinfo(tokens.access_token, tokens.claims()?.sub ?? '');
    expect(person.name).to.equal('Asha Rao');
    expect(person).not.to.have.property('email');
  });

  it('oidcc-ensure-other-scope-order-succeeds', async () => {
    const flow = await begin({ scope: 'email openid' });
    const tokens = await exchange(party, flow, (await signIn(flow)).url);
    const person = await userinfo(tokens.access_token, tokens.claims()?.sub ?? '');
    expect(person).to.include({ email: EMAIL, email_verified: true });
  });

  it('oidcc-alternate-happy-flow: every parameter in another order', async () => {
    const flow = await begin({ scope: 'email openid' });
    flow.url.search = new URLSearchParams([...flow.url.searchParams].reverse()).toString();
    const { url } = await signIn(flow);
    url.search = new URLSearchParams([...url.searchParams].reverse()).toString();
    const tokens = await exchange(party, flow, url, { extra: 'foobar' });
    expect(tokens.claims()?.nonce).to.equal(flow.nonce);
  });

  const requestObject = ({ url }: Flow) =>
    new UnsecuredJWT(Object.fromEntries(url.searchParams)).encode();

  it('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const flow = await begin();
    flow.url.searchParams.set('request', requestObject(flow));
    flow.url.searchParams.set('redirect_uri', UNREGISTERED);
    const { url, response } = await new Browser().follow(flow.url);
    // Nobody is sent anywhere, although the object names the registered address.
    expect([url.origin, response.status]).to.deep.equal([server.issuer, 400]);
  });

  it('sends no refusal to an address that is in a request object alone', async () => {
    const flow = await begin({ redirect_uri: UNREGISTERED });
    flow.url.searchParams.set('request', requestObject(flow));
    flow.url.searchParams.set('redirect_uri', REDIRECT_URI);
    const { url } = await new Browser().follow(flow.url);
    expect(`${url.origin}${url.pathname}`).to.equal(REDIRECT_URI);
    expect(url.searchParams.get('error')).to.equal('request_not_supported');
    expect(url.searchParams.get('state')).to.equal(flow.state);
  });

  it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
    const flow = await begin({ request_uri: `${portal.origin}/request.jwt` });
    const { url } = await new Browser().follow(flow.url);
    expect(url.searchParams.get('error')).to.equal('request_uri_not_supported');
    expect(portal.received.map(({ path }) => path)).not.to.include('/request.jwt');
  });

  it('oidcc-refresh-token', async () => {
    const asked = { scope: 'openid email offline_access', prompt: 'consent' };
    const flow = await begin(asked);
    const browser = new Browser();
    const consent = await signIn(flow, browser);
    const { url } = await browser.submit(consent, { decision: 'allow' });
    const first = await exchange(party, flow, url);
    expect(first.scope?.split(' ')).to.include('offline_access');
    const token = first.refresh_token ?? '';
    expect(bitsOf(token)).to.be.at.least(128);
    // Another client's: refused, and of no consequence to its owner.
    expect(await errorOf(client.refreshTokenGrant(second.config, token))).to.equal('invalid_grant');
    const next = await client.refreshTokenGrant(party.config, token);
    expect(next.access_token).not.to.equal(first.access_token);
    expect(bitsOf(next.refresh_token ?? '')).to.be.at.least(128);
    const [before, now] = [first, next].map(({ id_token }) => decodeJwt(id_token ?? ''));
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'azp'] as const) {
      expect(now?.[claim]).to.deep.equal(before?.[claim]);
    }
    expect(now?.iat).to.be.at.least(before?.iat ?? Number.NaN);
    expect((await userinfo(next.access_token, now?.sub ?? '')).email).to.equal(EMAIL);
    expect(await errorOf(client.refreshTokenGrant(party.config, token))).to.equal('invalid_grant');
  });

  it('oidcc-discovery-endpoint-verification', async () => {
    const answer = await fetch(`${server.issuer}/.well-known/openid-configuration`);
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
      ...[200, 'application/json; charset=utf-8'],
    ]);
    const document = (await answer.json()) as Record<string, unknown>;
    expect(document).to.deep.include({
      issuer: server.issuer,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
    expect(document['request_parameter_supported'] ?? false).to.equal(false);
    for (const [name, least] of [
      ['scopes_supported', ['openid', 'email', 'profile', 'offline_access']],
      ['response_modes_supported', ['query', 'form_post']],
      ['grant_types_supported', ['authorization_code', 'refresh_token']],
      ['id_token_signing_alg_values_supported', ['RS256']],
      ['token_endpoint_auth_methods_supported', ['client_secret_basic', 'client_secret_post']],
      ['claims_supported', ['sub', 'iss', 'auth_time', 'acr', 'email', 'email_verified', 'name']],
      ['acr_values_supported', ['urn:cls:acr:mfa']],
      ['ui_locales_supported', ['en', 'de']],
    ] as const) {
      expect(document[name], name).to.include.members([...least]);
    }
    for (const [name, value] of Object.entries(document)) {
      if (Array.isArray(value)) {
        expect(value, name).not.to.have.length(0);
        expect(new Set(value), name).to.have.property('size', value.length);
      } else if (/_(endpoint|uri)$/.test(name) && !name.startsWith('op_')) {
        expect(String(value), name).to.match(new RegExp(`^${server.issuer}/`));
      } else {
        expect(typeof value, name).to.be.oneOf(['string', 'boolean']);
      }
    }
    for (const name of ['authorization', 'token', 'userinfo', 'end_session', 'revocation']) {
      expect(document[`${name}_endpoint`], name).to.be.a('string');
    }
    const { keys } = (await (await fetch(String(document['jwks_uri']))).json()) as {
      keys: Record<string, string>[];
    };
    expect(keys.map(({ alg }) => alg)).to.deep.equal(['RS256', 'PS256']);
    for (const key of keys) {
      expect(key).to.include({ kty: 'RSA', use: 'sig' });
      expect(Buffer.from(key['n'] ?? '', 'base64url').length).to.be.at.least(256);
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
        expect(key).not.to.have.property(secret);
      }
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).to.equal(keys.length);
  });

  describe('of the form_post plan', () => {
    const FORM = { response_mode: 'form_post' };
    /** What the browser posts to the application. */
    const posted = async ({ response }: { response: Response }) => {
      const html = await response.text();
      const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(html) ?? [];
      expect(html).to.match(/<form[^>]* method="post"/i);
      const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      return { action, fields: new Map(inputs.map(([, name = '', value = '']) => [name, value])) };
    };
    const callback = (fields: ReadonlyMap<string, string>) =>
      new URL(`${REDIRECT_URI}?${new URLSearchParams([...fields])}`);

    for (const [name, parameters] of [
      ['oidcc-server', {}],
      ['oidcc-scope-email', { scope: 'openid email' }],
      ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
      ['oidcc-display-popup', { display: 'popup' }],
      ['oidcc-max-age-10000', { max_age: '10000' }],
    ] as const) {
      it(name, async () => {
        const flow = await begin({ ...FORM, ...parameters });
        const { action, fields } = await posted(await signIn(flow));
        expect(action).to.equal(REDIRECT_URI);
        expect([...fields.keys()].sort()).to.deep.equal(['code', 'iss', 'state']);
        const tokens = await exchange(party, flow, callback(fields));
        expect(tokens.claims()?.sub).to.match(/^acc_/);
      });
    }

    it('oidcc-response-type-missing', async () => {
      const flow = await begin(FORM);
      flow.url.searchParams.delete('response_type');
      const { action, fields } = await posted(await new Browser().follow(flow.url));
      expect([action, fields.get('error')]).to.deep.equal([REDIRECT_URI, 'invalid_request']);
    });

    it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
      const flow = await begin(FORM);
      flow.url.searchParams.set('request', requestObject(flow));
      // As the module sends it: how to answer is in the object alone.
      for (const name of ['response_mode', 'state', 'nonce']) flow.url.searchParams.delete(name);
      const { action, fields } = await posted(await new Browser().follow(flow.url));
      expect([action, fields.get('error')]).to.deep.equal([REDIRECT_URI, 'request_not_supported']);
      expect(fields.get('state')).to.equal(flow.state);
    });

    it('answers a request object that cannot be read by the redirect', async () => {
      for (const object of ['x', 'e30.W10.', 'eyJhbGciOiJub25lIn0.eyJzdGF0ZSI6WzFdfQ.']) {
        const flow = await begin({ request: object });
        const { url } = await new Browser().follow(flow.url);
        expect(url.searchParams.get('error'), object).to.equal('request_not_supported');
        expect(url.searchParams.get('state')).to.equal(flow.state);
      }
    });

    it('oidcc-prompt-none-not-logged-in', async () => {
      const flow = await begin({ ...FORM, prompt: 'none' });
      const { action, fields } = await posted(await new Browser().follow(flow.url));
      expect(action).to.equal(REDIRECT_URI);
      expect(fields.get('error')).to.equal('login_required');
      expect(fields.get('state')).to.equal(flow.state);
    });

    it('oidcc-prompt-none-logged-in', async () => {
      const { browser, tokens } = await tokensOf();
      const flow = await begin({ ...FORM, prompt: 'none' });
      const { fields } = await posted(await browser.follow(flow.url));
      const again = await exchange(party, flow, callback(fields));
      expect(again.claims()?.sub).to.equal(tokens.claims()?.sub);
    });

    it('oidcc-ensure-registered-redirect-uri', async () => {
      const flow = await begin({ ...FORM, redirect_uri: UNREGISTERED });
      const { url, response } = await new Browser().follow(flow.url);
      expect([url.origin, response.status]).to.deep.equal([server.issuer, 400]);
      expect(await response.text()).not.to.include(`action="${UNREGISTERED}"`);
    });
  });

  describe('of the back-channel plan', () => {
    it('oidcc-backchannel-logout-discovery-endpoint-verification', () => {
      expect(second.config.serverMetadata()).to.include({
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        end_session_endpoint: `${server.issuer}/oauth/logout`,
      });
    });

    it('oidcc-backchannel-rp-initiated-logout', async () => {
      const { browser, tokens } = await tokensOf({}, second);
      const url = new URL(`${server.issuer}/oauth/logout`);
      const back = 'https://portal.example/';
      const asked = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: back };
      url.search = new URLSearchParams({ ...asked, state: 'x' }).toString();
      // Our own application: nobody is asked once more.
      const left = await browser.follow(url);
      expect(left.url.href).to.equal(`${back}?state=x`);
      const told = await eventually(async () => {
        const found = portal.received.find(({ path }) => path === '/backchannel');
        if (found === undefined) throw new Error('not told');
        return found;
      });
      expect(told.method).to.equal('POST');
      expect([...told.body.keys()]).to.deep.equal(['logout_token']);
      const keys = createRemoteJWKSet(new URL(second.config.serverMetadata().jwks_uri ?? ''));
      const { payload, protectedHeader } = await jwtVerify(
        told.body.get('logout_token') ?? '',
        keys,
        { issuer: server.issuer, audience: second.id, typ: 'logout+jwt', algorithms: ['RS256'] },
      );
      expect(protectedHeader.alg).to.equal('RS256');
      expect(payload).to.have.property('jti').that.is.a('string');
      expect(payload.iat).to.be.a('number');
      expect(payload.exp).to.be.a('number');
      expect(payload).not.to.have.property('nonce');
      expect(payload['events']).to.deep.equal({
        'http://schemas.openid.net/event/backchannel-logout': {},
      });
      expect(payload['sid']).to.equal(tokens.claims()?.['sid']);
      const again = await browser.follow((await begin({ prompt: 'none' }, second)).url);
      expect(again.url.searchParams.get('error')).to.equal('login_required');
    });
  });
});
