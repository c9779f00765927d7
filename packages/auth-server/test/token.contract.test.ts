import { INTROSPECT_PERMISSION } from '@cls/shared/access-token';
import { anyEngine } from '@cls/testing/engines';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import type { Exchange } from '../src/web/contract-examples.ts';
import { newCaller, type TestCaller } from './support/administrator.ts';
import { basic, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { expectRecorded } from './support/recorded-examples.ts';

// biome-ignore lint/suspicious/noExplicitAny: contracts are read as JSON.
type Json = any;

describe('the contract of the token endpoint', () => {
  let server: TestAuthServer;
  let contract: Json;
  const seen = new Map<string, Exchange>();
  const codes = new Set<string>();
  before(async () => {
    server = await startTestAuthServer(anyEngine, { TOKENS_PER_MINUTE: '1' });
    contract = await (await fetch(`${server.issuer}/oauth/openapi.json`)).json();
  });
  after(() => server?.stop());

  /** An answer, which the contract must promise. */
  const ask = async (path: string, sent: Record<string, string>, by?: TestCaller) => {
    const answer = await fetch(`${server.issuer}${path}`, {
      method: 'POST',
      headers: by === undefined ? {} : basic(by.id, by.secret),
      body: new URLSearchParams(sent),
    });
    const { status } = answer;
    const { operationId, responses } = contract.paths[path].post;
    const text = await answer.text();
    const { content } = responses[status] ?? expect.fail(`${operationId}: no ${status}: ${text}`);
    const body = text === '' ? undefined : JSON.parse(text);
    if (content !== undefined) {
      const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
      ajv.addSchema(contract, 'contract');
      const { schema } = content['application/json'];
      const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
      expect(ajv.validate(whole, body), `${operationId}: ${text}`).to.equal(true);
    }
    if (status >= 400) codes.add(`${operationId} ${status} ${body.error}`);
    const name = status === 200 ? operationId : `${operationId} ${status}`;
    if (!seen.has(name)) seen.set(name, { path, sent, status, body });
    return body;
  };

  it('is public, with a validator, and has tags and an example in each operation', async () => {
    const answer = await fetch(`${server.issuer}/oauth/openapi.json`);
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(`${server.issuer}/oauth/openapi.json`, {
      headers: { 'if-none-match': etag },
    });
    expect(again.status).to.equal(304);
    expect(contract.servers).to.deep.equal([{ url: server.issuer }]);
    const operations = Object.values<Json>(contract.paths).map(({ post }) => post);
    expect(operations.map(({ operationId }) => operationId)).to.deep.equal([
      ...['requestToken', 'revokeToken', 'introspectToken'],
    ]);
    for (const { tags, requestBody } of operations) {
      expect(tags).to.deep.equal(['Tokens']);
      const [form] = Object.values<Json>(requestBody.content);
      expect(form.example).to.be.an('object');
    }
  });

  it('names what a request may have, as a form and as JSON', async () => {
    const { id, secret } = await newCaller(server, [VIEW]);
    const values: Record<string, string> = {
      ...{ grant_type: 'client_credentials', client_id: id, client_secret: secret },
      scope: `${server.config.scopeBase}/auth/${VIEW}`,
      resource: server.config.audience,
    };
    for (const schema of ['TokenRequest', 'JsonTokenRequest']) {
      const names = Object.keys(contract.components.schemas[schema].properties);
      const sent = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
      const json = schema === 'JsonTokenRequest';
      const answer = await fetch(`${server.issuer}/oauth/token`, {
        method: 'POST',
        headers: json ? { 'content-type': 'application/json' } : {},
        body: json ? JSON.stringify(sent) : new URLSearchParams(sent),
      });
      expect(answer.status, `${schema}: ${await answer.text()}`).to.equal(200);
    }
  });

  it('promises what is answered, and its examples are recorded answers', async () => {
    const caller = await newCaller(server, [VIEW]);
    const other = await newCaller(server, [VIEW]);
    const resourceServer = await newCaller(server, [INTROSPECT_PERMISSION]);
    const grant = { grant_type: 'client_credentials' };
    const { access_token: token } = await ask('/oauth/token', grant, caller);
    await ask('/oauth/token', { ...grant, scope: 'openid' }, caller);
    await ask('/oauth/token', {}, caller);
    await ask('/oauth/token', { grant_type: 'password' }, caller);
    await ask('/oauth/token', { ...grant, resource: 'https://elsewhere.example' }, caller);
    await ask('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, caller);
    await ask('/oauth/token', grant, { ...caller, secret: 'x'.repeat(43) });
    for (let again = 0; again < 10; again += 1) {
      const { error } = await ask('/oauth/token', grant, other);
      if (error === 'too_many_tokens') break;
    }
    await ask('/oauth/introspect', { token }, resourceServer);
    expect(await ask('/oauth/introspect', { token }, other)).to.deep.equal({ active: false });
    await ask('/oauth/introspect', {}, resourceServer);
    await ask('/oauth/revoke', { token }, caller);
    await ask('/oauth/revoke', {}, caller);
    expect([...codes].sort()).to.deep.equal([
      'introspectToken 400 invalid_request',
      'requestToken 400 invalid_request',
      'requestToken 400 invalid_scope',
      'requestToken 400 invalid_target',
      'requestToken 400 unauthorized_client',
      'requestToken 400 unsupported_grant_type',
      'requestToken 401 invalid_client',
      'requestToken 429 too_many_tokens',
      'revokeToken 400 invalid_request',
    ]);
    expectRecorded('token', Object.fromEntries([...seen].sort()));
  });
});
