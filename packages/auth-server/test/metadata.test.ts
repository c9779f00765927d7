import { request } from 'node:http';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually, freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';

const DISCOVERY = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

describeOnDatabase('an issuer with a path', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}/loans`;
    server = await startTestAuthServer(engine, {
      ISSUER: issuer,
      AUTH_PORT: `${port}`,
      POLICY_URL: 'https://cls.example/privacy',
      DOCUMENTATION_URL: 'https://docs.cls.example',
    });
  });
  after(() => server?.stop());

  it('names its policy and documentation, the policy on every page too', async () => {
    const response = await fetch(`${server.issuer}/.well-known/openid-configuration`);
    expect(await response.json()).to.include({
      op_policy_uri: 'https://cls.example/privacy',
      service_documentation: 'https://docs.cls.example',
    });
    const page = await fetch(`${server.issuer}/password/reset`);
    expect(await page.text()).to.include('<a href="https://cls.example/privacy">Privacy</a>');
  });

  it('is found where OpenID Connect and where RFC 8414 look for it', async () => {
    const { origin } = new URL(server.issuer);
    for (const url of [
      `${server.issuer}/.well-known/openid-configuration`,
      `${origin}/.well-known/oauth-authorization-server/loans`,
      `${origin}/.well-known/openid-configuration`, // A proxy in front took the path off.
    ]) {
      const response = await fetch(url);
      expect(response.status, url).to.equal(200);
      expect(await response.json(), url).to.include({
        issuer: server.issuer,
        token_endpoint: `${server.issuer}/oauth/token`,
        jwks_uri: `${server.issuer}/.well-known/jwks.json`,
      });
    }
  });

  it('gives tokens below its path', async () => {
    const { id, secret } = server.client;
    const form = await server.post('grant_type=client_credentials', basic(id, secret));
    expect(form.status).to.equal(200);
    const json = await server.postJson({ client_id: id, client_secret: secret });
    expect(json.status).to.equal(200);
  });
});

describeOnDatabase('discovery and the key set', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  /** fetch sets Host itself; a forger does not. */
  const forged = (path: string, target = path) =>
    new Promise<string>((done, failed) => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example;proto=https',
      };
      request(`${server.issuer}${path}`, { headers, path: target }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => done(text));
      })
        .once('error', failed)
        .end();
    });

  for (const path of DISCOVERY) {
    it(`${path} names only endpoints and methods that work`, async () => {
      const response = await fetch(`${server.issuer}${path}`);
      expect(response.headers.get('cache-control')).to.equal('public, max-age=300');
      const document = (await response.json()) as Record<string, unknown>;
      expect(document).to.include({
        issuer: server.issuer,
        token_endpoint: `${server.issuer}/oauth/token`,
        jwks_uri: `${server.issuer}/.well-known/jwks.json`,
      });
      expect(document['grant_types_supported']).to.have.members([
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]);
      expect(document).to.deep.include({
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'private_key_jwt',
          'none',
        ],
        id_token_signing_alg_values_supported: ['RS256', 'PS256'],
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        acr_values_supported: ['urn:cls:acr:password', 'urn:cls:acr:remembered', 'urn:cls:acr:mfa'],
        ui_locales_supported: ['en', 'de'],
        prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
        revocation_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'private_key_jwt',
          'none',
        ],
      });
      expect(document).not.to.have.any.keys('op_policy_uri', 'service_documentation');
      expect(document['claims_supported']).to.include.members(['sub', 'acr', 'amr', 'email']);
      const endpoints = Object.entries(document).filter(([name]) => name.endsWith('_endpoint'));
      expect(endpoints.map(([name]) => name)).to.include.members([
        'authorization_endpoint',
        'device_authorization_endpoint',
        'end_session_endpoint',
        'pushed_authorization_request_endpoint',
        'revocation_endpoint',
        'userinfo_endpoint',
      ]);
      for (const [name, endpoint] of endpoints) {
        expect((await fetch(endpoint as string)).status, name).to.not.equal(404);
      }
    });

    it(`${path} is the same whatever Host and X-Forwarded-* say`, async () => {
      const honest = await (await fetch(`${server.issuer}${path}`)).text();
      expect(await forged(path)).to.equal(honest);
      expect(await forged(path, `http://evil.example${path}`), 'absolute form').to.equal(honest);
    });
  }

  it('publishes the signing key for RS256 and PS256, without private parts, cacheable, with a validator', async () => {
    const url = `${server.issuer}/.well-known/jwks.json`;
    const response = await fetch(url);
    expect(response.headers.get('cache-control')).to.equal('public, max-age=300');
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys.map(({ alg }) => alg)).to.deep.equal(['RS256', 'PS256']);
    for (const key of keys) {
      expect(Object.keys(key).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).to.include({ kty: 'RSA', use: 'sig', e: 'AQAB' });
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).to.equal(2);
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect(again.status).to.equal(304);
  });

  it('serves openid-client unmodified: discovery and client credentials', async () => {
    const { id, secret } = server.client;
    const options = { execute: [client.allowInsecureRequests] };
    const config = await client.discovery(new URL(server.issuer), id, secret, undefined, options);
    const tokens = await client.clientCredentialsGrant(config);
    expect(tokens.token_type).to.equal('bearer');
    expect(tokens.expires_in).to.equal(86_400);
  });

  it('serves oauth4webapi unmodified: discovery and client credentials', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(server.issuer);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const caller = { client_id: server.client.id };
    const auth = oauth.ClientSecretBasic(server.client.secret);
    const asked = await oauth.clientCredentialsGrantRequest(as, caller, auth, {}, insecure);
    const tokens = await oauth.processClientCredentialsResponse(as, caller, asked);
    expect(tokens.scope).to.equal(`${server.issuer}/auth/cls-deal.view`);
  });

  it('signs with a new key as soon as it is promoted, without a restart', async () => {
    const kids = async () => {
      const response = await fetch(`${server.issuer}/.well-known/jwks.json`);
      const { keys } = (await response.json()) as { keys: { kid: string; alg: string }[] };
      return keys.filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid);
    };
    const before = await kids();
    await server.database.query(`UPDATE signing_key SET state = 'retiring', retired_at = now()`);
    const after = await eventually(async () => {
      const both = await kids();
      expect(both).to.have.length(2).and.to.include(before[0]);
      return both;
    });
    const { id, secret } = server.client;
    const response = await server.postJson({ client_id: id, client_secret: secret });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    expect(header.kid).to.equal(after.find((kid) => kid !== before[0]));
  });

  it('takes up new keys later when they cannot be loaded at the moment of their change', async () => {
    const published = async () =>
      (await (await fetch(`${server.issuer}/.well-known/jwks.json`)).json()) as { keys: unknown[] };
    const before = (await published()).keys.length;
    await server.database.transaction(async (transaction) => {
      await transaction.query(`UPDATE signing_key SET state = 'retiring', retired_at = now()`);
      await transaction.query('ALTER TABLE signing_key RENAME TO away');
    });
    await new Promise((done) => setTimeout(done, 200));
    expect((await published()).keys).to.have.length(before);
    await server.database.query('ALTER TABLE away RENAME TO signing_key');
    await eventually(async () => expect((await published()).keys).to.have.length(before + 2));
  });

  it('may be read by a page of any origin, named or not', async () => {
    for (const origin of ['https://app.example', 'null']) {
      const url = `${server.issuer}/.well-known/jwks.json`;
      const response = await fetch(url, { headers: { origin } });
      expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    }
  });

  it('answers what is not there with a 404 problem, the library’s own paths included', async () => {
    for (const path of ['/', '/auth', '/me', '/oauth', '/oauth/token/', '/interaction/x', '/reg']) {
      const response = await fetch(`${server.issuer}${path}`);
      expect(response.status, path).to.equal(404);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      expect(await response.json()).to.include({
        code: 'not_found',
        instance: path,
        requestId: response.headers.get('x-request-id'),
      });
    }
  });

  it('tells that it lives and that it is ready', async () => {
    expect((await fetch(`${server.issuer}/livez`)).status).to.equal(200);
    const ready = await fetch(`${server.issuer}/readyz`);
    expect(await ready.json()).to.deep.equal({
      status: 'ok',
      checks: { database: 'ok', protocol_state: 'ok', audit: 'ok', clock: 'ok' },
    });
  });
});
