import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { newClientSecret } from '../src/clients/client-secret.ts';
import {
  basic,
  claimsOf,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';

const WRONG_SECRET = newClientSecret().expose();
const GRANT = 'grant_type=client_credentials';

describeOnDatabase('POST /oauth/token, a service account', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());
  const scope = () => `${server.issuer}/auth/cls-deal.view`;

  it('answers HTTP Basic with a token of 86400 seconds and no-store', async () => {
    const response = await server.post(GRANT, basic(server.client.id, server.client.secret));
    expect(response.status).to.equal(200);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('access-control-allow-origin')).to.equal(null);
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body).sort()).to.deep.equal([
      'access_token',
      'expires_in',
      'scope',
      'token_type',
    ]);
    expect(body).to.include({ expires_in: 86_400, token_type: 'Bearer', scope: scope() });
  });

  it('answers a secret in the form, and the same as JSON with or without grant_type', async () => {
    const { id, secret } = server.client;
    const form = `${GRANT}&client_id=${id}&client_secret=${secret}`;
    const inForm = await server.post(form, { 'content-type': 'application/x-www-form-urlencoded' });
    const credentials = { client_id: id, client_secret: secret };
    const bare = await server.postJson(credentials);
    const full = await server.postJson({ grant_type: 'client_credentials', ...credentials });
    for (const response of [inForm, bare, full]) {
      expect(response.status).to.equal(200);
      expect(await response.json()).to.include({ expires_in: 86_400, scope: scope() });
    }
  });

  it('answers HTTP Basic with JSON too, with or without grant_type', async () => {
    const headers = {
      ...basic(server.client.id, server.client.secret),
      'content-type': 'application/json',
    };
    const grant = { grant_type: 'client_credentials' };
    for (const body of [grant, {}, { scope: scope() }, { ...grant, scope: scope() }]) {
      const response = await server.post(JSON.stringify(body), headers);
      expect(response.status, JSON.stringify(body)).to.equal(200);
      expect(await response.json()).to.include({ expires_in: 86_400, scope: scope() });
    }
    const refused = await server.post('{"scopes":"x"}', headers);
    expect(refused.status).to.equal(400);
    expect(await refused.json()).to.deep.equal({
      error: 'invalid_request',
      error_description: 'only grant_type, scope, resource may be sent',
    });
  });

  it('leaves out what is null or empty, and reads spaces around scopes as one', async () => {
    const { id, secret } = server.client;
    const credentials = { client_id: id, client_secret: secret };
    const spaced = ` ${scope()}  ${scope()} `;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: spaced });
    const empty = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: '',
      resource: '',
    });
    for (const response of [
      await server.postJson({ ...credentials, grant_type: null, scope: null }),
      await server.postJson({ ...credentials, grant_type: '', scope: '' }),
      await server.postJson({ ...credentials, scope: spaced }),
      await server.post(`${form}`, { ...basic(id, secret) }),
      await server.post(`${empty}`, { ...basic(id, secret) }),
    ]) {
      const body = await response.json();
      expect(response.status, JSON.stringify(body)).to.equal(200);
      expect(body).to.include({ scope: scope() });
    }
    for (const refused of [{ ...credentials, client_secret: null }, { client_id: null }]) {
      expect((await server.postJson(refused)).status).to.equal(400);
    }
  });

  it('signs RFC 9068 tokens that verify against the published key set', async () => {
    const response = await server.post(GRANT, basic(server.client.id, server.client.secret));
    const { access_token: token } = (await response.json()) as { access_token: string };
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: server.issuer,
      audience: `${server.issuer}/api`,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    });
    expect(protectedHeader.kid).to.be.a('string');
    expect(payload).to.include({
      sub: server.client.id,
      client_id: server.client.id,
      account_type: 'service_account',
      customer: 'india',
      scope: scope(),
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(86_400);
    expect(payload.jti).to.be.a('string');
  });

  it('refuses a scope that was not granted, rather than dropping it', async () => {
    const excess = `${server.issuer}/auth/external-api.fullcontrol`;
    for (const asked of [excess, `${scope()} ${excess}`, 'something-else']) {
      const body = `${GRANT}&scope=${encodeURIComponent(asked)}`;
      const response = await server.post(body, basic(server.client.id, server.client.secret));
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ error: 'invalid_scope' });
    }
  });

  for (const { given, body, headers, status, error } of [
    {
      given: 'an unknown grant',
      body: 'grant_type=password',
      status: 400,
      error: 'unsupported_grant_type',
    },
    { given: 'no grant', body: '', status: 400, error: 'invalid_request' },
    { given: 'a grant twice', body: `${GRANT}&${GRANT}`, status: 400, error: 'invalid_request' },
    {
      given: 'plain text',
      body: GRANT,
      headers: { 'content-type': 'text/plain' },
      status: 400,
      error: 'invalid_request',
    },
    {
      given: 'a secret in the body too',
      body: `${GRANT}&client_secret=x`,
      status: 400,
      error: 'invalid_request',
    },
    {
      given: 'our grant for people as a form',
      body: 'grant_type=urn:cls:grant-type:account',
      status: 400,
      error: 'unauthorized_client',
    },
    {
      given: 'a grant of applications',
      body: 'grant_type=authorization_code&code=x&redirect_uri=https://x.example/',
      status: 400,
      error: 'unauthorized_client',
    },
    {
      given: 'the grant of second devices',
      body: 'grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x',
      status: 400,
      error: 'unauthorized_client',
    },
    {
      given: 'a body over the limit',
      body: `${GRANT}&x=${'x'.repeat(60_000)}`,
      status: 413,
      error: 'invalid_request',
    },
  ]) {
    it(`refuses ${given}: ${status} ${error}`, async () => {
      const credentials = basic(server.client.id, server.client.secret);
      const response = await server.post(body, { ...credentials, ...headers });
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.match(/^application\/json/);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(await response.json()).to.include({ error });
    });
  }

  for (const path of ['/oauth/device', '/oauth/par']) {
    it(`refuses to begin a grant of applications at ${path}: 400 unauthorized_client`, async () => {
      const response = await fetch(`${server.issuer}${path}`, {
        method: 'POST',
        headers: basic(server.client.id, server.client.secret),
        body: 'scope=openid&response_type=code&redirect_uri=https://x.example/',
      });
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ error: 'unauthorized_client' });
    });
  }

  for (const { given, id, secret } of [
    { given: 'a wrong secret', id: undefined, secret: WRONG_SECRET },
    { given: 'an unknown client', id: 'svc_00000000000000000000000000', secret: WRONG_SECRET },
    { given: 'the client that people use', id: 'cls-account', secret: WRONG_SECRET },
  ]) {
    it(`answers ${given} with 401 invalid_client and a Basic challenge`, async () => {
      const response = await server.post(GRANT, basic(id ?? server.client.id, secret));
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.match(/^Basic /);
      expect(await response.json()).to.deep.equal({
        error: 'invalid_client',
        error_description: 'client authentication failed',
      });
    });
  }

  it('refuses parameters in the URL', async () => {
    const url = `${server.issuer}/oauth/token?${GRANT}`;
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).to.equal(400);
    expect(await response.json()).to.include({ error: 'invalid_request' });
  });

  it('answers another method with 405 and Allow', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${server.issuer}/oauth/token`, { method });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.include('POST');
    }
  });

  it('answers a browser’s Accept with JSON, never with a page', async () => {
    const response = await server.post(GRANT, {
      ...basic(server.client.id, 'wrong'),
      accept: 'text/html',
    });
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
  });

  it('stops a disabled service account at once, and a disabled customer’s', async () => {
    const records = serviceAccountRecords(server.database);
    const { id, secret } = await records.create({
      name: 'To be disabled',
      customer: 'india',
      permissions: ['cls-deal.view'],
    });
    // A server’s notice of the change takes milliseconds; no cache lives that out.
    const answers = (status: number) =>
      eventually(async () => {
        const response = await server.post(GRANT, basic(id, secret.expose()));
        expect(response.status).to.equal(status);
      }, 1_000);
    await answers(200);
    await records.setDisabled(id, true);
    await answers(401);
    await records.setDisabled(id, false);
    await answers(200);
    await server.database.query(`UPDATE customer SET disabled_at = now() WHERE id = 'india'`);
    await answers(401);
    await server.database.query(`UPDATE customer SET disabled_at = NULL WHERE id = 'india'`);
  });

  it('ends a replaced secret at once, or after the overlap that was asked for', async () => {
    const records = serviceAccountRecords(server.database);
    const { id, secret: first } = await records.create({
      name: 'To be replaced',
      customer: 'india',
      permissions: ['cls-deal.view'],
    });
    const secrets = clientSecrets(server.database);
    const { secret: second } = await secrets.replace({ clientId: id }, 60, {});
    const answers = (secret: string, status: number) =>
      eventually(async () => {
        expect((await server.post(GRANT, basic(id, secret))).status).to.equal(status);
      }, 1_000);
    await answers(first.expose(), 200);
    await answers(second.expose(), 200);
    const { secret: third } = await secrets.replace({ clientId: id }, 0, {});
    await answers(first.expose(), 401);
    await answers(second.expose(), 401);
    await answers(third.expose(), 200);
  });

  it('slows a client whose secret is guessed, and still lets the right secret in', async () => {
    const records = serviceAccountRecords(server.database);
    const { id, secret } = await records.create({
      name: 'Guessed at',
      customer: 'india',
      permissions: ['cls-deal.view'],
    });
    const statuses: number[] = [];
    for (let tries = 0; tries < 25; tries += 1) {
      const response = await server.post(GRANT, basic(id, newClientSecret().expose()));
      statuses.push(response.status);
      if (response.status === 429) {
        expect(Number(response.headers.get('retry-after'))).to.be.greaterThan(0);
      }
    }
    expect(statuses.slice(0, 20).every((status) => status === 401)).to.equal(true);
    expect(statuses.at(-1)).to.equal(429);
    expect((await server.post(GRANT, basic(id, secret.expose()))).status).to.equal(200);
  });

  it('records what was issued and refused, without secrets', async () => {
    await server.post(GRANT, basic(server.client.id, server.client.secret));
    await server.post(GRANT, basic(server.client.id, WRONG_SECRET));
    const events = await eventually(async () => {
      const found = await server.database.query<{ type: string; subject: string }>(
        'SELECT * FROM audit_event WHERE subject = $1',
        [server.client.id],
      );
      expect(found.map(({ type }) => type)).to.include.members(['token.issued', 'token.refused']);
      return found;
    });
    const text = JSON.stringify(events, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(text).not.to.include(server.client.secret).and.not.include(WRONG_SECRET);
  });

  it('goes on recording after a form that no row of the audit log could hold', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const grant = 'grant_type=urn:cls:grant-type:account&client_id=cls-account';
    const refused = await server.post(`${grant}&email=a%00b&password=x`, form);
    expect(refused.status).to.equal(400);
    const count = async () =>
      (await server.database.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_event'))[0]
        ?.n ?? 0;
    const before = await count();
    await server.post(GRANT, basic(server.client.id, server.client.secret));
    await eventually(async () => expect(await count()).to.be.greaterThan(before));
  });

  it('never gives two tokens one jti', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await server.post(GRANT, basic(server.client.id, server.client.secret));
        return ((await response.json()) as { access_token: string }).access_token;
      }),
    );
    expect(new Set(tokens.map((token) => claimsOf(token)['jti'])).size).to.equal(20);
  });
});
