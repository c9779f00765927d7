import { setTimeout as sleep } from 'node:timers/promises';
import { newCertificate } from '@cls/testing/certificates';
import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { findBinary } from '@cls/testing/servers';
import { expect } from 'chai';
import { calculateJwkThumbprint, createRemoteJWKSet, exportJWK, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { sqlTokenStatus } from '../src/token-status/sql-token-status.ts';
import { basic, claimsOf, createPerson, PASSWORD, VIEW } from './support/auth-server.ts';
import {
  ASSERTION_TYPE,
  type AssertionChanges,
  assertion,
  type ClientKey,
  keySetFile,
  newClientKey,
} from './support/client-keys.ts';
import { Browser, REDIRECT_URI } from './support/relying-party.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const EMAIL = 'fapi@india.example';
const SETTINGS = { TRUSTED_PROXY_HOPS: '1', MTLS_BASE_URL: 'http://mtls.cls.test' };
const nowS = () => Math.floor(Date.now() / 1_000);

describeOnDatabase('an application that is held to the FAPI 2.0 Security Profile', (engine) => {
  let world: ToolWorld;
  let issuer: string;
  let key: ClientKey;
  let rsa: ClientKey;
  let id: string;
  let config: client.Configuration;
  let proofKey: Awaited<ReturnType<typeof client.randomDPoPKeyPair>>;
  let DPoP: client.DPoPHandle;
  before(async () => {
    world = await toolWorld(engine, SETTINGS);
    ({ issuer } = world.server);
    await createPerson(world.server.database, EMAIL);
    key = await newClientKey('ES256', 'good');
    rsa = await newClientKey('RS256', 'rsa');
    id = await register('Fapi');
    config = await client.discovery(
      new URL(issuer),
      id,
      undefined,
      client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid }),
      { execute: [client.allowInsecureRequests] },
    );
    proofKey = await client.randomDPoPKeyPair('ES256');
    DPoP = client.getDPoPHandle(config, proofKey);
  });
  after(() => world?.stop());

  const register = async (name: string) => {
    const file = keySetFile(key.publicJwk, rsa.publicJwk);
    const method = `--auth-method private_key_jwt --jwks ${file} --binding dpop --fapi2`;
    const made = await world.done(
      `applications create --name ${name} --redirect-uri ${REDIRECT_URI} ${method}`,
    );
    expect(made).to.deep.include({ confidential: true });
    expect(made).not.to.have.property('clientSecret');
    return made.clientId as string;
  };

  const pushed = async () => {
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = await client.buildAuthorizationUrlWithPAR(
      config,
      {
        redirect_uri: REDIRECT_URI,
        scope: `openid email ${issuer}/auth/${VIEW}`,
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
      { DPoP },
    );
    return { url, verifier, state };
  };
  const signIn = async (url: URL) => {
    const browser = new Browser();
    return browser.submit(await browser.follow(url), { email: EMAIL, password: PASSWORD });
  };
  const exchange = (callback: URL, { verifier, state }: { verifier: string; state: string }) =>
    client.authorizationCodeGrant(
      ...([config, callback, { pkceCodeVerifier: verifier, expectedState: state }] as const),
      ...([undefined, { DPoP }] as const),
    );
  const errorOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'none',
      (error: { error?: string }) => error.error,
    );

  it('signs a person in, and gets bound tokens that it can refresh with the same token', async () => {
    const flow = await pushed();
    expect([...flow.url.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri']);
    const { url } = await signIn(flow.url);
    expect(url.searchParams.get('iss')).to.equal(issuer);
    const tokens = await exchange(url, flow);
    const jkt = await calculateJwkThumbprint(await exportJWK(proofKey.publicKey));
    expect(tokens.token_type).to.equal('dpop');
    expect(claimsOf(tokens.access_token)['cnf']).to.deep.equal({ jkt });
    const { refresh_token: refresh = '' } = tokens;
    for (let n = 0; n < 3; n += 1) {
      const again = await client.refreshTokenGrant(config, refresh, undefined, { DPoP });
      expect(claimsOf(again.access_token)['cnf']).to.deep.equal({ jkt });
      expect(again.refresh_token ?? refresh).to.equal(refresh);
    }
    expect(await errorOf(client.refreshTokenGrant(config, refresh))).to.equal('invalid_grant');
    const { sub = '' } = tokens.claims() ?? {};
    const userinfo = await client.fetchUserInfo(config, tokens.access_token, sub, { DPoP });
    expect(userinfo).to.include({ email: EMAIL });
  });

  it('gets ID tokens with PS256, at a refresh too', async () => {
    const flow = await pushed();
    const tokens = await exchange((await signIn(flow.url)).url, flow);
    const keySet = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
    const { refresh_token: refresh = '' } = tokens;
    const again = await client.refreshTokenGrant(config, refresh, undefined, { DPoP });
    for (const { id_token: idToken = '' } of [tokens, again]) {
      await jwtVerify(idToken, keySet, { issuer, audience: id, algorithms: ['PS256'] });
    }
  });

  it('gets no token where the person’s access ends while it refreshes', async function () {
    if (engine.name === 'PGlite') return this.skip(); // One transaction at a time: none meets another.
    const flow = await pushed();
    const tokens = await exchange((await signIn(flow.url)).url, flow);
    const { refresh_token: refresh = '' } = tokens;
    const { sub = '' } = tokens.claims() ?? {};
    const { database } = world.server;
    await sqlTokenStatus(database).revoke({ subject: sub }, 'access_ended');
    await sleep(500); // Then it needs another lease.
    const { asked } = await database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [sub]);
      const refreshing = errorOf(client.refreshTokenGrant(config, refresh, undefined, { DPoP }));
      await sleep(500); // Its grant was looked at, and the token waits for this row.
      await world.done(`accounts end-sessions ${EMAIL}`);
      return { asked: refreshing };
    });
    expect(await asked).to.equal('invalid_grant');
  });

  it('is refused without a pushed request', async () => {
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const answer = await new Browser().follow(url);
    expect(answer.url.origin).to.equal(new URL(REDIRECT_URI).origin);
    expect(answer.url.searchParams.get('error')).to.equal('invalid_request');
    expect(answer.url.searchParams.get('iss')).to.equal(issuer);
  });

  const push = async (
    parameters: Readonly<Record<string, string | undefined>>,
    changes: AssertionChanges & { readonly by?: ClientKey } = {},
  ) => {
    const all = {
      client_id: id,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await assertion(issuer, id, changes.by ?? key, changes),
      ...parameters,
    };
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) if (value) body.set(name, value);
    const answer = await fetch(`${issuer}/oauth/par`, { method: 'POST', body });
    const { error, expires_in: expiresIn } = (await answer.json()) as {
      error?: string;
      expires_in?: number;
    };
    return { error, expiresIn };
  };

  it('pushes requests that live for less than ten minutes', async () => {
    const { expiresIn = 0 } = await push({});
    expect(expiresIn).to.be.greaterThan(5).and.lessThan(600);
  });

  for (const [given, parameters, error] of [
    [
      'without PKCE',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['with a plain code challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['with another redirect URI', { redirect_uri: `${REDIRECT_URI}/x` }, 'invalid_request'],
    ['for an implicit answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['for a hybrid answer', { response_type: 'code id_token' }, 'unsupported_response_type'],
    [
      'without authentication',
      { client_assertion: undefined, client_assertion_type: undefined },
      'invalid_client',
    ],
    [
      'with a secret',
      { client_assertion: undefined, client_assertion_type: undefined, client_secret: 'x' },
      'invalid_client',
    ],
  ] as const) {
    it(`is refused a pushed request ${given}`, async () => {
      expect((await push(parameters)).error).to.equal(error);
    });
  }

  const assertions: Record<string, () => AssertionChanges & { readonly by?: ClientKey }> = {
    'signed with RS256': () => ({ by: rsa }),
    'for the token endpoint': () => ({ claims: { aud: `${issuer}/oauth/token` } }),
    'for the endpoint itself': () => ({ claims: { aud: `${issuer}/oauth/par` } }),
    'for the issuer in a list': () => ({ claims: { aud: [issuer] } }),
    'that is good for ten minutes': () => ({ claims: { exp: nowS() + 600 } }),
    'that begins later': () => ({ claims: { nbf: nowS() + 60 } }),
    'that was made later': () => ({ claims: { iat: nowS() + 120, exp: nowS() + 180 } }),
  };
  for (const [given, changes] of Object.entries(assertions)) {
    it(`is refused with an assertion ${given}`, async () => {
      expect((await push({}, changes())).error).to.equal('invalid_client');
    });
  }

  it('gets no token without a proof, with a proof of another key, or for a used code', async () => {
    const ofOther = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    for (const options of [undefined, { DPoP: ofOther }]) {
      const flow = await pushed();
      const { url } = await signIn(flow.url);
      const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state };
      expect(
        await errorOf(client.authorizationCodeGrant(config, url, checks, undefined, options)),
      ).to.equal('invalid_grant');
    }
    const flow = await pushed();
    const { url } = await signIn(flow.url);
    const wrong = { ...flow, verifier: client.randomPKCECodeVerifier() };
    expect(await errorOf(exchange(url, wrong))).to.equal('invalid_grant');
  });

  it('must send PKCE also where it was registered without', async () => {
    await world.done(`applications update ${id} --without-pkce`);
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await push(without)).error).to.equal('invalid_request');
    await world.done(`applications update ${id} --no-without-pkce`);
  });

  it('gets no token for a code of another application', async () => {
    const flow = await pushed();
    const { url } = await signIn(flow.url);
    const other = await register('Other');
    const otherConfig = new client.Configuration(
      config.serverMetadata(),
      other,
      undefined,
      client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid }),
    );
    client.allowInsecureRequests(otherConfig);
    const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state };
    const asked = client.authorizationCodeGrant(otherConfig, url, checks, undefined, {
      DPoP: client.getDPoPHandle(otherConfig, proofKey),
    });
    expect(await errorOf(asked)).to.equal('invalid_grant');
  });

  it('sends its token in the header alone', async () => {
    const flow = await pushed();
    const { access_token: token } = await exchange((await signIn(flow.url)).url, flow);
    const asked = await fetch(`${issuer}/oauth/userinfo?access_token=${token}`);
    expect(asked.status).to.be.oneOf([400, 401]);
  });

  it('is registered with a method and a binding that need no secret', async () => {
    const create = `applications create --name No --redirect-uri ${REDIRECT_URI} --fapi2`;
    for (const options of [
      '--confidential',
      '--auth-method client_secret --binding dpop',
      `--auth-method private_key_jwt --jwks ${key.file}`,
      `--auth-method private_key_jwt --jwks ${key.file} --binding none`,
    ]) {
      const { code, stderr } = await world.run(`${create} ${options}`);
      expect([code, stderr], options).to.deep.equal([
        2,
        '--fapi2 needs a method without a secret, and --binding dpop or certificate\n',
      ]);
    }
    const { code } = await world.run(`secrets replace ${id}`);
    expect(code).to.equal(1);
    const { code: none } = await world.run(`secrets create ${id}`);
    expect(none).to.equal(1);
  });

  it('never becomes public, also where it was before it had a key', async () => {
    const { clientId } = await world.done(
      `applications create --name Before --redirect-uri ${REDIRECT_URI}`,
    );
    const update = `applications update ${clientId} --auth-method`;
    expect(await world.done(`${update} private_key_jwt --jwks ${key.file}`)).to.deep.include({
      confidential: true,
    });
    const { code, stderr } = await world.run(`${update} client_secret`);
    expect([code, stderr]).to.have.property('0', 1);
    expect(stderr).to.include('would be public');
  });

  it('may prove itself and its tokens by a certificate', async function () {
    requireServer(this, 'openssl', findBinary('openssl'));
    const { certificate, certificateFile } = newCertificate('/CN=portal');
    const { clientId } = await world.done(
      `applications create --name Certified --redirect-uri ${REDIRECT_URI} --auth-method self_signed_tls_client_auth --certificate ${certificateFile} --fapi2`,
    );
    const verifier = client.randomPKCECodeVerifier();
    const send = async (path: string, form: Record<string, string>, passedOn = true) => {
      const headers = passedOn ? { 'x-client-certificate': encodeURIComponent(certificate) } : {};
      const body = new URLSearchParams({ client_id: clientId, ...form });
      const answer = await fetch(`${issuer}${path}`, { method: 'POST', headers, body });
      return (await answer.json()) as Record<string, string>;
    };
    const request = {
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: `openid ${issuer}/auth/${VIEW}`,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    expect(await send('/oauth/par', request, false)).to.include({ error: 'invalid_client' });
    const { request_uri: uri = '' } = await send('/oauth/par', request);
    const asked = new URLSearchParams({ client_id: clientId, request_uri: uri });
    const { url } = await signIn(new URL(`${issuer}/oauth/authorize?${asked}`));
    const form = {
      grant_type: 'authorization_code',
      code: url.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    };
    expect(await send('/oauth/token', form, false)).to.include({ error: 'invalid_client' });
    const { access_token: token = '' } = await send('/oauth/token', form);
    expect(claimsOf(token)['cnf']).to.have.all.keys('x5t#S256');
    const userinfo = (headers: Record<string, string>) =>
      fetch(`${issuer}/oauth/userinfo`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
    expect((await userinfo({})).status).to.equal(401);
    const good = await userinfo({ 'x-client-certificate': encodeURIComponent(certificate) });
    expect(good.status).to.equal(200);
  });

  it('changes nothing for other applications', async () => {
    const { clientId, clientSecret } = await world.done(
      `applications create --name Plain --confidential --redirect-uri ${REDIRECT_URI}`,
    );
    const answer = await fetch(`${issuer}/oauth/par`, {
      method: 'POST',
      headers: basic(clientId, clientSecret),
      body: new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: REDIRECT_URI,
        scope: 'openid',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }).toString(),
    });
    expect(answer.status).to.equal(201);
  });
});
