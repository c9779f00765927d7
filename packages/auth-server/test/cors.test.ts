import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import {
  basic,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const APP = 'https://spa.example';
const EVIL = 'https://evil.example';
const REDIRECT = `${APP}/callback`;

describe('an application that runs in the browser', () => {
  let server: TestAuthServer;
  let party: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    const spa = { redirectUris: [REDIRECT], confidential: false, allowedOrigins: [APP] };
    party = await relyingParty(server, spa);
  });
  after(() => server?.stop());

  const at = (path: string) => `${server.issuer}${path}`;
  const preflight = (path: string, origin: string, method = 'POST') =>
    fetch(at(path), {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  const readableBy = (response: Response) => response.headers.get('access-control-allow-origin');
  const codeFor = async (scope = 'openid email') => {
    const flow = await authorizationUrl(party, { redirect_uri: REDIRECT, scope });
    const browser = new Browser();
    const { url } = await browser.submit(await browser.follow(flow.url), {
      ...{ email: server.person.email, password: PASSWORD },
    });
    return { code: url.searchParams.get('code') ?? '', verifier: flow.verifier };
  };
  const redeem = (code: string, verifier: string, origin: string) =>
    server.post(
      new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: party.id,
        redirect_uri: REDIRECT,
        code,
        code_verifier: verifier,
      }).toString(),
      { 'content-type': 'application/x-www-form-urlencoded', origin },
    );

  for (const path of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    it(`has the preflight of ${path} answered for every origin`, async () => {
      for (const origin of [APP, EVIL, 'null']) {
        const answer = await preflight(path, origin, 'GET');
        expect([answer.status, readableBy(answer)]).to.deep.equal([204, '*']);
        expect(answer.headers.get('access-control-allow-methods')).to.equal('GET');
        expect(answer.headers.get('access-control-allow-headers')).to.include('traceparent');
      }
      expect((await fetch(at(path), { method: 'OPTIONS' })).status).to.equal(405);
    });
  }

  for (const [path, method] of [
    ['/oauth/token', 'POST'],
    ['/oauth/userinfo', 'GET'],
    ['/oauth/revoke', 'POST'],
    ['/oauth/par', 'POST'],
  ] as const) {
    it(`has the preflight of ${method} ${path} answered for its origin, and for no other`, async () => {
      const good = await preflight(path, APP, method);
      expect([good.status, readableBy(good)]).to.deep.equal([204, APP]);
      expect(good.headers.get('access-control-allow-methods')).to.include(method);
      expect(good.headers.get('access-control-allow-headers')).to.match(/authorization/i);
      expect(good.headers.get('access-control-allow-credentials')).to.equal(null);
      expect(good.headers.get('vary')).to.include('Origin');
      for (const origin of [EVIL, 'null', `${APP}:8443`, APP.toUpperCase()]) {
        const bad = await preflight(path, origin, method);
        expect([bad.status, readableBy(bad)], origin).to.deep.equal([405, null]);
      }
    });
  }

  it('reads its tokens, what userinfo says, and errors', async () => {
    const { code, verifier } = await codeFor();
    const answer = await redeem(code, verifier, APP);
    expect([answer.status, readableBy(answer)]).to.deep.equal([200, APP]);
    expect(answer.headers.get('vary')).to.include('Origin');
    expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const headers = { origin: APP, authorization: `Bearer ${token}` };
    const person = await fetch(at('/oauth/userinfo'), { headers });
    expect([person.status, readableBy(person)]).to.deep.equal([200, APP]);
    const again = await redeem(code, verifier, APP);
    expect([again.status, readableBy(again)]).to.deep.equal([400, APP]);
  });

  it('is read by no page of another origin, also where that has the code or the token', async () => {
    const { code, verifier } = await codeFor();
    const stolen = await redeem(code, verifier, EVIL);
    expect([stolen.status, readableBy(stolen)]).to.deep.equal([400, null]);
    const answer = await redeem(code, verifier, APP);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const headers = { origin: EVIL, authorization: `Bearer ${token}` };
    const person = await fetch(at('/oauth/userinfo'), { headers });
    expect([person.status, readableBy(person)]).to.deep.equal([400, null]);
  });

  it('opens nothing to the applications of others at its origin', async () => {
    const { id, secret } = server.client;
    const answer = await server.post('grant_type=client_credentials', {
      ...basic(id, secret),
      origin: APP,
    });
    expect([answer.status, readableBy(answer)]).to.deep.equal([400, null]);
  });

  it('may be on any page for discovery and the key set, which are public', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      const answer = await fetch(at(path), { headers: { origin: EVIL } });
      expect([answer.status, readableBy(answer)]).to.deep.equal([200, '*']);
    }
  });

  it('has no answer to its preflight any more once it is disabled', async () => {
    const other = await relyingParty(server, {
      ...{ confidential: false, allowedOrigins: ['https://other.example'] },
    });
    expect((await preflight('/oauth/token', 'https://other.example')).status).to.equal(204);
    await server.database.query('UPDATE application SET disabled_at = now() WHERE id = $1', [
      other.id,
    ]);
    expect((await preflight('/oauth/token', 'https://other.example')).status).to.equal(405);
  });
});
