import { request } from 'node:http';
import type { Permission } from '@cls/shared/access-token';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { JWK } from 'jose';
import { newRsaKey } from '../src/keys/rsa-key.ts';
import {
  type AdminAnswer,
  adminClient,
  adminToken,
  askForToken,
  MANAGE,
  newCaller,
  signAsIssuer,
  signWith,
  type TestCaller,
} from './support/administrator.ts';
import { claimsOf, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

describe('who may use the administrators’ API', () => {
  let server: TestAuthServer;
  let caller: TestCaller;
  let token: string;
  let foreign: JWK & { kid: string };
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    caller = await newCaller(server);
    token = await adminToken(server, caller);
    foreign = await newRsaKey(2048);
  });
  after(() => server?.stop());

  const nowS = () => Math.floor(Date.now() / 1000);
  const call = (bearer?: string) => adminClient(server, bearer)('GET', '/accounts');
  const audiences = () => [`${server.issuer}/admin`, `${server.issuer}/api`];
  const expectProblem = ({ status, headers, body }: AdminAnswer, expected: object) => {
    expect(headers.get('content-type')).to.equal('application/problem+json');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body).to.include({ status, type: `${server.issuer}/docs/errors/${body.code}` });
    expect(body).to.include({ instance: '/admin/v1/accounts', ...expected });
    expect(body.requestId).to.equal(headers.get('x-request-id'));
  };

  it('admits a service account with the permission', async () => {
    expect((await call(token)).status).to.equal(200);
  });

  it('answers no token with 401 and a bare challenge, and so another scheme', async () => {
    const basic = await adminClient(server)('GET', '/accounts', undefined, {
      authorization: 'Basic eDp5',
    });
    for (const answer of [await call(), basic]) {
      expectProblem(answer, { status: 401, code: 'missing_token' });
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
    }
  });

  for (const [given, code, forge] of [
    ['expired', 'token_expired', () => ({ claims: { iat: nowS() - 7_200, exp: nowS() - 3_600 } })],
    ['of the balances API', 'token_untrusted', () => ({ claims: { aud: `${server.issuer}/api` } })],
    ['of both APIs', 'token_untrusted', () => ({ claims: { aud: audiences() } })],
    ['without an audience', 'token_untrusted', () => ({ claims: { aud: undefined } })],
    ['of another issuer', 'token_untrusted', () => ({ claims: { iss: 'https://evil.example' } })],
    ['of a key that is not ours', 'token_untrusted', () => ({ header: { kid: 'unknown' } })],
    ['of no key', 'token_invalid', () => ({ header: { kid: undefined } })],
    ['of another type', 'token_invalid', () => ({ header: { typ: 'JWT' } })],
    ['that brings a key along', 'token_invalid', () => ({ header: { jwk: { kty: 'RSA' } } })],
    ['from the future', 'token_invalid', () => ({ claims: { iat: nowS() + 600 } })],
    ['that lives too long', 'token_invalid', () => ({ claims: { exp: nowS() + 90_000 } })],
    ['of nobody', 'token_invalid', () => ({ claims: { sub: 'admin' } })],
  ] as const) {
    it(`refuses a token ${given} with 403 ${code}, though the server signed it`, async () => {
      const change: { claims?: object; header?: object } = forge();
      const claims = { ...claimsOf(token), ...change.claims };
      const answer = await call(await signAsIssuer(server, claims, change.header));
      expectProblem(answer, { status: 403, code });
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"');
    });
  }

  it('refuses a real token of the balances API', async () => {
    const both = await newCaller(server, [VIEW, MANAGE]);
    const response = await askForToken(server, both);
    const { access_token: other } = (await response.json()) as { access_token: string };
    expectProblem(await call(other), { status: 403, code: 'token_untrusted' });
  });

  it('refuses what was signed with another key, under its own kid and under ours', async () => {
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const under = (name: string) => signWith(foreign, claimsOf(token), { kid: name });
    expectProblem(await call(await under(foreign.kid)), { code: 'token_untrusted' });
    expectProblem(await call(await under(kid)), { code: 'token_invalid' });
  });

  it('refuses a changed payload, a cut signature, and what is no token', async () => {
    const [header, , signature = ''] = token.split('.');
    const claims = { ...claimsOf(token), customer: 'kenya' };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    for (const forged of [
      `${header}.${payload}.${signature}`,
      token.slice(0, -8),
      `${header}.${token.split('.')[1]}.`,
      'x',
      'x'.repeat(9_000),
    ]) {
      expectProblem(await call(forged), { status: 403, code: 'token_invalid' });
    }
  });

  it('refuses two tokens in one request', async () => {
    const status = await new Promise((done, failed) => {
      const bearer = `Bearer ${token}`;
      const headers = ['Host', 'localhost', 'Authorization', bearer, 'Authorization', bearer];
      request(`${server.issuer}/admin/v1/accounts`, { headers }, ({ statusCode }) =>
        done(statusCode),
      )
        .once('error', failed)
        .end();
    });
    expect(status).to.equal(403);
  });

  it('refuses a token without the permission, and says which is missing', async () => {
    const scope = `${server.config.scopeBase}/auth/${VIEW}`;
    const answer = await call(await signAsIssuer(server, { ...claimsOf(token), scope }));
    expectProblem(answer, { status: 403, code: 'insufficient_permission' });
    const missing = `${server.config.scopeBase}/auth/${MANAGE}`;
    const challenge = `Bearer error="insufficient_scope", scope="${missing}"`;
    expect(answer.headers.get('www-authenticate')).to.equal(challenge);
  });

  it('refuses a person, whatever the token says', async () => {
    const person = { sub: server.guarded.id, account_type: 'account' };
    const answer = await call(await signAsIssuer(server, { ...claimsOf(token), ...person }));
    expectProblem(answer, { status: 403, code: 'caller_disabled' });
  });

  describe('refuses at once a caller whose token is good', () => {
    const records = () => serviceAccountRecords(server.database);
    let own: TestCaller;
    let good: string;
    beforeEach(async () => {
      own = await newCaller(server);
      good = await adminToken(server, own);
      expect((await call(good)).status).to.equal(200);
    });

    it('and who was disabled since', async () => {
      await records().setDisabled(own.id, true);
      const answer = await call(good);
      expectProblem(answer, { status: 403, code: 'caller_disabled' });
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"');
      await records().setDisabled(own.id, false);
      expectProblem(await call(good), { status: 403, code: 'token_revoked' });
      expect((await call(await adminToken(server, own))).status).to.equal(200);
    });

    it('and whose customer was disabled since', async () => {
      const disabled = (value: string) =>
        server.database.query(`UPDATE customer SET disabled_at = ${value} WHERE id = 'india'`);
      await disabled('now()');
      expectProblem(await call(good), { status: 403, code: 'caller_disabled' });
      await disabled('NULL');
    });

    it('and who is gone, or now another customer’s', async () => {
      await server.database.query(`INSERT INTO customer (id, name) VALUES ('kenya', 'Kenya')`);
      const change = (sql: string) => server.database.query(sql, [own.id]);
      await change(`UPDATE service_account SET customer_id = 'kenya' WHERE id = $1`);
      expectProblem(await call(good), { status: 403, code: 'caller_disabled' });
      await change('DELETE FROM service_account_secret WHERE service_account_id = $1');
      await change('DELETE FROM service_account WHERE id = $1');
      expectProblem(await call(good), { status: 403, code: 'caller_disabled' });
    });

    it('and who lost the permission since', async () => {
      const permissions: readonly Permission[] = [VIEW];
      await server.database.query('UPDATE service_account SET permissions = $2 WHERE id = $1', [
        own.id,
        permissions,
      ]);
      expectProblem(await call(good), { status: 403, code: 'insufficient_permission' });
    });
  });

  it('verifies with keys that are promoted and removed, without a restart', async () => {
    await server.database.query(`UPDATE signing_key SET state = 'retiring', retired_at = now()`);
    const next = async () => {
      const fresh = await adminToken(server, caller);
      const kid = (one: string) =>
        JSON.parse(Buffer.from(one.split('.')[0] ?? '', 'base64url').toString()).kid as string;
      if (kid(fresh) === kid(token)) throw new Error('still the old key');
      return { fresh, oldKid: kid(token) };
    };
    const { fresh, oldKid } = await eventually(next);
    expect((await call(fresh)).status).to.equal(200);
    expect((await call(token)).status, 'still published').to.equal(200);
    await server.database.query('DELETE FROM signing_key WHERE kid = $1', [oldKid]);
    await eventually(async () => {
      expectProblem(await call(token), { status: 403, code: 'token_untrusted' });
    });
    expect((await call(fresh)).status).to.equal(200);
  });
});
