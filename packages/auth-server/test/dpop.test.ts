import { hash } from 'node:crypto';
import { ADMIN_PERMISSION } from '@cls/shared/access-token';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import * as client from 'openid-client';
import { basic, claimsOf, PASSWORD, VIEW } from './support/auth-server.ts';
import { newKeyClient } from './support/client-keys.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const GRANT = 'grant_type=client_credentials';

describeOnDatabase('tokens that are bound to a key (RFC 9449)', (engine) => {
  let world: ToolWorld;
  let issuer: string;
  let keys: Awaited<ReturnType<typeof client.randomDPoPKeyPair>>;
  let jkt: string;
  before(async () => {
    world = await toolWorld(engine);
    ({ issuer } = world.server);
    keys = await client.randomDPoPKeyPair('ES256');
    jkt = await calculateJwkThumbprint(await exportJWK(keys.publicKey));
  });
  after(() => world?.stop());

  let proofs = 0;
  const newProof = async (claims: object) => {
    proofs += 1;
    const iat = Math.floor(Date.now() / 1_000);
    const usual = { htm: 'POST', htu: `${issuer}/oauth/token`, jti: `proof-${proofs}`, iat };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(keys.publicKey) })
      .sign(keys.privateKey);
  };
  const configOf = (id: string, secret: string) =>
    client.discovery(new URL(issuer), id, undefined, client.ClientSecretBasic(secret), {
      execute: [client.allowInsecureRequests],
    });

  it('are given to a client that sends a proof, by a standard library', async () => {
    const { id, secret } = world.server.client;
    const config = await configOf(id, secret);
    for (const alg of ['ES256', 'PS256', 'Ed25519']) {
      const pair = await client.randomDPoPKeyPair(alg);
      const DPoP = client.getDPoPHandle(config, pair);
      const tokens = await client.clientCredentialsGrant(config, {}, { DPoP });
      expect(tokens.token_type).to.equal('dpop');
      expect(claimsOf(tokens.access_token)['cnf']).to.deep.equal({
        jkt: await calculateJwkThumbprint(await exportJWK(pair.publicKey)),
      });
    }
    const plain = await client.clientCredentialsGrant(config);
    expect(plain.token_type).to.equal('bearer');
    expect(claimsOf(plain.access_token)).not.to.have.property('cnf');
  });

  it('are all that a client gets which is registered so', async () => {
    const options = '--auth-method client_secret --binding dpop';
    const { clientId, clientSecret = '' } = await newKeyClient(world, options);
    for (const answer of [
      await world.server.post(GRANT, basic(clientId, clientSecret)),
      await world.server.postJson({ client_id: clientId, client_secret: clientSecret }),
    ]) {
      expect([answer.status, await answer.json()]).to.deep.equal([
        400,
        {
          error: 'invalid_grant',
          error_description:
            'this client’s tokens are bound to a key: expected a proof in the header DPoP (RFC 9449)',
        },
      ]);
    }
    const answer = await world.server.post(GRANT, {
      ...basic(clientId, clientSecret),
      dpop: await newProof({}),
    });
    expect(await answer.json()).to.include({ token_type: 'DPoP' });
  });

  it('are not given for a proof of another request, or one that was used', async () => {
    const { id, secret } = world.server.client;
    const ask = async (proof: string) => {
      const answer = await world.server.post(GRANT, { ...basic(id, secret), dpop: proof });
      const { error, error_description: why } = (await answer.json()) as Record<string, string>;
      return [answer.status, error, ...(error === 'invalid_grant' ? [why] : [])];
    };
    for (const claims of [
      { htm: 'GET' },
      { htu: `${issuer}/oauth/revoke` },
      { htu: 'https://other.example/oauth/token' },
      { iat: Math.floor(Date.now() / 1_000) - 600 },
      { jti: undefined },
    ]) {
      expect(await ask(await newProof(claims))).to.deep.equal([400, 'invalid_dpop_proof']);
    }
    const once = await newProof({});
    expect(await ask(once)).to.deep.equal([200, undefined]);
    expect(await ask(once)).to.deep.equal([
      400,
      'invalid_grant',
      'the proof in the header DPoP was used before: expected a new one for each request',
    ]);
  });

  it('open the administrators’ API with a proof for each request alone', async () => {
    const options = '--auth-method client_secret --binding dpop';
    const { clientId, clientSecret = '' } = await newKeyClient(world, options, ADMIN_PERMISSION);
    const config = await configOf(clientId, clientSecret);
    const DPoP = client.getDPoPHandle(config, keys);
    const scope = `${issuer}/auth/${ADMIN_PERMISSION}`;
    const { access_token: token } = await client.clientCredentialsGrant(
      config,
      { scope },
      { DPoP },
    );
    const accounts = new URL(`${issuer}/admin/v1/accounts`);
    for (let n = 0; n < 2; n += 1) {
      const answer = await client.fetchProtectedResource(
        ...([config, token, accounts, 'GET', undefined, new Headers(), { DPoP }] as const),
      );
      expect(answer.status).to.equal(200);
    }
    const ath = hash('sha256', token, 'base64url');
    const send = (scheme: string, dpop: string) =>
      fetch(`${accounts}?limit=1`, { headers: { authorization: `${scheme} ${token}`, dpop } });
    const good = await newProof({ htm: 'GET', htu: accounts.href, ath });
    expect((await send('DPoP', good)).status).to.equal(200);
    for (const [scheme, proof] of [
      ['DPoP', good],
      ['Bearer', await newProof({ htm: 'GET', htu: accounts.href, ath })],
      ['DPoP', await newProof({ htm: 'POST', htu: accounts.href, ath })],
      ['DPoP', await newProof({ htm: 'GET', htu: `${accounts.href}/x`, ath })],
      ['DPoP', await newProof({ htm: 'GET', htu: accounts.href })],
    ] as const) {
      const answer = await send(scheme, proof);
      expect(answer.status).to.equal(403);
      expect(answer.headers.get('www-authenticate')).to.match(/^DPoP error="invalid_dpop_proof"/);
      expect(await answer.json()).to.include({ code: 'token_invalid' });
    }
  });

  it('of a person open userinfo with a proof alone, and are refreshed with the same key', async () => {
    const party = await relyingParty(world.server, { confidential: false });
    const DPoP = client.getDPoPHandle(party.config, keys);
    const flow = await authorizationUrl(party, { scope: `openid email ${issuer}/auth/${VIEW}` });
    const browser = new Browser();
    const fields = { email: world.server.person.email, password: PASSWORD };
    const { url } = await browser.submit(await browser.follow(flow.url), fields);
    const tokens = await client.authorizationCodeGrant(
      party.config,
      url,
      { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce },
      undefined,
      { DPoP },
    );
    const { access_token: token, refresh_token: refresh = '' } = tokens;
    expect(claimsOf(token)['cnf']).to.deep.equal({ jkt });
    const { sub = '' } = tokens.claims() ?? {};
    const userinfo = await client.fetchUserInfo(party.config, token, sub, { DPoP });
    expect(userinfo).to.include({ email: world.server.person.email });
    const plain = await fetch(`${issuer}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(plain.status).to.equal(401);
    const other = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair('ES256'));
    for (const options of [undefined, { DPoP: other }]) {
      const refused = await client
        .refreshTokenGrant(party.config, refresh, undefined, options)
        .catch((error) => error);
      expect(refused).to.include({ error: 'invalid_grant' });
    }
    const again = await client.refreshTokenGrant(party.config, refresh, undefined, { DPoP });
    expect(claimsOf(again.access_token)['cnf']).to.deep.equal({ jkt });
  });

  it('are offered in the metadata', async () => {
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      expect(await (await fetch(`${issuer}/.well-known/${path}`)).json()).to.deep.include({
        dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
      });
    }
  });
});
