import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { askForToken, MANAGE, newCaller, type TestCaller } from './support/administrator.ts';
import {
  claimsOf,
  FULL,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

/** Which of the two APIs a service account's token is for (RFC 8707). */
describe('the audience of a token', () => {
  let server: TestAuthServer;
  const callers = new Map<string, TestCaller>();
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    callers.set('both', await newCaller(server, [FULL, MANAGE, VIEW]));
    callers.set('admin', await newCaller(server));
    callers.set('api', await newCaller(server, [VIEW]));
  });
  after(() => server?.stop());

  const scopes = (names: string) =>
    names
      .split(' ')
      .map((name) => `${server.config.scopeBase}/auth/${name}`)
      .join(' ');
  const ask = (caller: string, parameters: Record<string, string> = {}) => {
    const found = callers.get(caller);
    if (found === undefined) throw new Error(caller);
    return askForToken(server, found, parameters);
  };

  const ADMIN = () => `${server.issuer}/admin`;
  const API = () => `${server.issuer}/api`;

  for (const { given, caller, scope, resource, audience, granted } of [
    { given: 'neither scope nor resource', caller: 'api', audience: API, granted: VIEW },
    {
      given: 'neither, of a caller that may administer too',
      caller: 'both',
      audience: API,
      granted: `${FULL} ${VIEW}`,
    },
    { given: 'the API', caller: 'both', resource: API, audience: API, granted: `${FULL} ${VIEW}` },
    { given: 'an API scope', caller: 'both', scope: VIEW, audience: API, granted: VIEW },
    {
      given: 'the administrators’ scope alone',
      caller: 'both',
      scope: MANAGE,
      audience: ADMIN,
      granted: MANAGE,
    },
    {
      given: 'the administrators’ API alone',
      caller: 'both',
      resource: ADMIN,
      audience: ADMIN,
      granted: MANAGE,
    },
    {
      given: 'both of them',
      caller: 'admin',
      scope: MANAGE,
      resource: ADMIN,
      audience: ADMIN,
      granted: MANAGE,
    },
  ]) {
    it(`who names ${given} gets ${granted}`, async () => {
      const response = await ask(caller, {
        ...(scope === undefined ? {} : { scope: scopes(scope) }),
        ...(resource === undefined ? {} : { resource: resource() }),
      });
      expect(response.status).to.equal(200);
      const body = (await response.json()) as { access_token: string; scope: string };
      expect(body).to.include({ scope: scopes(granted), expires_in: 86_400 });
      expect(claimsOf(body.access_token)).to.include({
        aud: audience(),
        scope: scopes(granted),
        customer: 'india',
      });
    });
  }

  for (const { given, caller, scope, resource, error, says } of [
    {
      given: 'scopes of both APIs',
      caller: 'both',
      scope: `${VIEW} ${MANAGE}`,
      error: 'invalid_target',
      says: 'one API at a time',
    },
    {
      given: 'the administrators’ scope at the other API',
      caller: 'both',
      scope: MANAGE,
      resource: API,
      error: 'invalid_target',
      says: 'one API at a time',
    },
    {
      given: 'an API scope at the administrators’ API',
      caller: 'both',
      scope: VIEW,
      resource: ADMIN,
      error: 'invalid_target',
      says: 'one API at a time',
    },
    {
      given: 'nothing, who may administer and nothing else',
      caller: 'admin',
      error: 'invalid_target',
      says: 'no scope of the resource',
    },
    {
      given: 'the administrators’ API, who may not',
      caller: 'api',
      resource: ADMIN,
      error: 'invalid_target',
      says: 'no scope of the resource',
    },
    {
      given: 'the administrators’ scope, who may not',
      caller: 'api',
      scope: MANAGE,
      error: 'invalid_scope',
      says: 'not granted',
    },
    {
      given: 'a resource that is not there',
      caller: 'both',
      resource: () => 'https://elsewhere.example/admin',
      error: 'invalid_target',
      says: 'resource',
    },
  ]) {
    it(`refuses ${given}: ${error}`, async () => {
      const response = await ask(caller, {
        ...(scope === undefined ? {} : { scope: scopes(scope) }),
        ...(resource === undefined ? {} : { resource: resource() }),
      });
      expect(response.status).to.equal(400);
      const body = (await response.json()) as { error: string; error_description: string };
      expect(body.error).to.equal(error);
      expect(body.error_description).to.include(says);
    });
  }

  it('refuses both APIs in one request', async () => {
    const both = callers.get('both');
    if (both === undefined) throw new Error('no caller');
    const response = await askForToken(server, both, [
      ['resource', API()],
      ['resource', ADMIN()],
    ]);
    expect(response.status).to.equal(400);
    expect(await response.json()).to.include({ error: 'invalid_target' });
  });

  it('is never the administrators’ API for a person: not by a password', async () => {
    const response = await server.postJson(server.person);
    const token = claimsOf(await response.text());
    expect(token).to.include({ aud: API(), scope: scopes(VIEW) });
  });

  it('nor through an application, which can ask for neither its scope nor the API', async () => {
    const portal = await relyingParty(server);
    for (const parameters of [
      { scope: `openid ${scopes(MANAGE)}` },
      { scope: `openid ${scopes(MANAGE)}`, resource: ADMIN() },
      { scope: 'openid', resource: ADMIN() },
    ]) {
      const { url } = await authorizationUrl(portal, parameters as Record<string, string>);
      const { url: back, response } = await new Browser().follow(url);
      const error = back.searchParams.get('error');
      expect(error, `${response.status} ${back}`).to.be.oneOf(['invalid_scope', 'invalid_target']);
    }
  });

  it('may be named by openid-client as it is', async () => {
    const both = callers.get('both');
    const options = { execute: [client.allowInsecureRequests] };
    const config = await client.discovery(
      new URL(server.issuer),
      both?.id ?? '',
      both?.secret ?? '',
      undefined,
      options,
    );
    const tokens = await client.clientCredentialsGrant(config, { resource: ADMIN() });
    expect(claimsOf(tokens.access_token)).to.include({ aud: ADMIN() });
  });
});
