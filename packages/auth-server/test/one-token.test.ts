import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import {
  createPerson,
  FULL,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { clientSecrets } from './support/client-records.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describeOnDatabase('one sign-in for the API and for userinfo', (engine) => {
  let server: TestAuthServer;
  let party: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    party = await relyingParty(server, {
      scopes: ['openid', 'email', 'offline_access', VIEW, FULL],
    });
  });
  after(() => server?.stop());

  const scope = (name: string) => `${server.config.scopeBase}/auth/${name}`;
  const signIn = async (parameters: Record<string, string>, email = server.person.email) => {
    const browser = new Browser();
    const flow = await authorizationUrl(party, parameters);
    if (!parameters['scope']?.includes('openid')) flow.url.searchParams.delete('nonce');
    const { url } = await browser.submit(await browser.follow(flow.url), {
      ...{ email, password: PASSWORD },
    });
    return { flow, url };
  };
  const tokensFor = async (asked: string, email?: string) => {
    const { flow, url } = await signIn({ scope: asked }, email);
    return exchange(party, flow, url);
  };
  const userinfo = (token: string, init: RequestInit = {}) =>
    fetch(`${server.issuer}/oauth/userinfo`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: client.ResponseBodyError) => error.error,
    );

  it('gives a token for the API alone that userinfo answers too', async () => {
    const tokens = await tokensFor(`openid email ${scope(VIEW)}`);
    expect(decodeJwt(tokens.access_token).aud).to.equal(`${server.issuer}/api`);
    for (const method of ['GET', 'POST']) {
      const response = await userinfo(tokens.access_token, { method });
      expect(response.status).to.equal(200);
      expect(await response.json()).to.deep.equal({
        sub: tokens.claims()?.sub,
        email: server.person.email,
        email_verified: true,
      });
    }
  });

  it('names all that was granted, and nothing else, in the answer; the API’s scopes in the token', async () => {
    const asked = `openid email phone ${scope(VIEW)} ${scope(FULL)} offline_access`;
    const tokens = await tokensFor(asked);
    const granted = `openid email ${scope(VIEW)}`;
    expect(tokens.scope).to.equal(granted);
    expect(decodeJwt(tokens.access_token)).to.include({ scope: scope(VIEW) });
  });

  it('names `openid` also where the person lacks the permission', async () => {
    const tokens = await tokensFor(`openid email ${scope(FULL)}`);
    expect(tokens.scope).to.equal('openid email');
    // A scope claim without a permission: the API answers insufficient_permission.
    expect(decodeJwt(tokens.access_token)).to.include({ scope: 'openid email' });
    expect((await userinfo(tokens.access_token)).status).to.equal(200);
  });

  it('refuses a sign-in that would grant nothing: access_denied', async () => {
    const { url } = await signIn({ scope: scope(FULL) });
    expect(url.origin).to.equal('https://portal.example');
    expect(url.searchParams.get('error')).to.equal('access_denied');
  });

  it('refuses a token for the API at userinfo that was got without `openid`', async () => {
    const { flow, url } = await signIn({ scope: scope(VIEW) });
    const tokens = await client.authorizationCodeGrant(party.config, url, {
      ...{ pkceCodeVerifier: flow.verifier, expectedState: flow.state },
    });
    expect(tokens.scope).to.equal(scope(VIEW));
    expect((await userinfo(tokens.access_token)).status).to.equal(401);
  });

  it('refuses at userinfo another token of the same content, and its `jti`', async () => {
    const { access_token: token } = await tokensFor(`openid ${scope(VIEW)}`);
    const { jti = '' } = decodeJwt(token);
    for (const other of [`${token}A`, `${token.slice(0, -4)}AAAA`, `${token}=`, jti]) {
      expect((await userinfo(other)).status, other.slice(-8)).to.equal(401);
    }
    const own = await server.postJson(server.person);
    expect((await userinfo(await own.text())).status).to.equal(401);
  });

  it('ends at userinfo with its grant, and goes on with each refresh', async () => {
    const first = await tokensFor(`openid email ${scope(VIEW)}`);
    const next = await client.refreshTokenGrant(party.config, first.refresh_token ?? '');
    expect(next.scope).to.equal(`openid email ${scope(VIEW)}`);
    expect((await userinfo(next.access_token)).status).to.equal(200);
    await client.tokenRevocation(party.config, next.refresh_token ?? '');
    for (const { access_token: token } of [first, next]) {
      expect((await userinfo(token)).status).to.equal(401);
    }
  });

  describe('refreshed with a scope', () => {
    const refresh = (tokens: { refresh_token?: string }, asked: string) =>
      client.refreshTokenGrant(party.config, tokens.refresh_token ?? '', { scope: asked });

    for (const [given, more] of [
      ['one that does not exist here', 'phone'],
      ['offline_access', 'offline_access'],
      ['a permission that the person lacks', FULL],
    ] as const) {
      it(`that was asked for at sign-in and not granted (${given}) says what is granted`, async () => {
        const asked = `openid ${scope(VIEW)} ${more === FULL ? scope(FULL) : more}`;
        const next = await refresh(await tokensFor(asked), asked);
        expect(next.scope).to.equal(`openid ${scope(VIEW)}`);
      });
    }

    it('that is narrower has that alone', async () => {
      const tokens = await tokensFor(`openid email ${scope(VIEW)}`);
      const next = await refresh(tokens, 'openid');
      expect(next.scope).to.equal('openid');
      expect(decodeJwt(next.access_token)).to.include({ scope: 'openid' });
      expect(await (await userinfo(next.access_token)).json()).not.to.have.property('email');
    });

    it('that exists and was not asked for at sign-in is refused, and the token stays good', async () => {
      const tokens = await tokensFor(`openid ${scope(VIEW)}`);
      expect(await errorOf(refresh(tokens, 'openid email'))).to.equal('invalid_scope');
      expect(await errorOf(refresh(tokens, scope(FULL)))).to.equal('invalid_scope');
      expect((await refresh(tokens, 'openid')).scope).to.equal('openid');
    });

    it('with nothing left is refused: invalid_scope', async () => {
      await createPerson(server.database, 'loses@india.example', [VIEW]);
      const { flow, url } = await signIn({ scope: scope(VIEW) }, 'loses@india.example');
      const tokens = await client.authorizationCodeGrant(party.config, url, {
        ...{ pkceCodeVerifier: flow.verifier, expectedState: flow.state },
      });
      await server.database.query(
        `UPDATE account SET permissions = '{${FULL}}' WHERE email = 'loses@india.example'`,
      );
      const refused = client.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
      expect(await errorOf(refused)).to.equal('invalid_scope');
    });
  });

  describe('got by a secret that is revoked', () => {
    it('ends at userinfo too', async () => {
      const { access_token: token } = await tokensFor(`openid email ${scope(VIEW)}`);
      expect((await userinfo(token)).status).to.equal(200);
      const secrets = clientSecrets(server.database);
      for (const secret of await secrets.list(party.id)) await secrets.revoke(secret);
      expect((await userinfo(token)).status).to.equal(401);
    });
  });
});
