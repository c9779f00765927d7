import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { basic, claimsOf } from './support/auth-server.ts';
import {
  type AssertionChanges,
  assertion,
  assertionForm,
  type ClientKey,
  keySetFile,
  newClientKey,
  newKeyClient,
} from './support/client-keys.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const nowS = () => Math.floor(Date.now() / 1_000);

describeOnDatabase('a service account that signs with its own key (RFC 7523)', (engine) => {
  let world: ToolWorld;
  let issuer: string;
  let key: ClientKey;
  let foreign: ClientKey;
  let clientId: string;
  before(async () => {
    world = await toolWorld(engine, { TRUSTED_PROXY_HOPS: '1' });
    ({ issuer } = world.server);
    key = await newClientKey('ES256');
    foreign = await newClientKey('ES256', key.kid);
    const registered = await newKeyClient(
      world,
      `--auth-method private_key_jwt --jwks ${key.file}`,
    );
    ({ clientId } = registered);
    expect(registered).not.to.have.property('clientSecret');
  });
  after(() => world?.stop());

  let requests = 0;
  /** Each from an address of its own, so that no throttle is in between. */
  const headers = () => {
    requests += 1;
    return { ...FORM, 'x-forwarded-for': `192.0.2.${requests}` };
  };
  const ask = (text: string, more: Record<string, string> = {}) =>
    world.server.post(assertionForm(text, more), headers());

  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']) {
    it(`gets its token with ${alg}, by openid-client and by oauth4webapi`, async () => {
      const own = await newClientKey(alg);
      const options = `--auth-method private_key_jwt --jwks ${own.file}`;
      const { clientId: id } = await newKeyClient(world, options);
      const signing = { key: own.privateKey, kid: own.kid };
      // openid-client names Ed25519 keys by the newer of their two names.
      const config = await client.discovery(
        new URL(issuer),
        id,
        undefined,
        client.PrivateKeyJwt(signing),
        { execute: [client.allowInsecureRequests] },
      );
      const tokens = await client.clientCredentialsGrant(config);
      expect(claimsOf(tokens.access_token)).to.include({ sub: id, customer: 'india' });

      const server = { issuer, token_endpoint: `${issuer}/oauth/token` };
      const asked = await oauth.clientCredentialsGrantRequest(
        server,
        { client_id: id },
        oauth.PrivateKeyJwt(signing),
        {},
        { [oauth.allowInsecureRequests]: true },
      );
      const answer = await oauth.processClientCredentialsResponse(server, { client_id: id }, asked);
      expect(claimsOf(answer.access_token)).to.include({ sub: id });
      expect(claimsOf(answer.access_token)).not.to.have.property('cnf');
    });
  }

  it('gets its token for the issuer and for the endpoint as audience, and with scopes', async () => {
    for (const aud of [issuer, `${issuer}/oauth/token`, ['https://other.example', issuer]]) {
      const answer = await ask(await assertion(issuer, clientId, key, { claims: { aud } }), {
        scope: `${issuer}/auth/cls-deal.view`,
      });
      expect(answer.status, String(aud)).to.equal(200);
    }
  });

  const refused: Record<string, () => AssertionChanges & { readonly by?: ClientKey }> = {
    'of another key under its kid': () => ({ by: foreign }),
    'of another client': () => ({ claims: { iss: world.server.client.id } }),
    'with another client as subject': () => ({ claims: { sub: world.server.client.id } }),
    'without an issuer': () => ({ claims: { iss: undefined } }),
    'without a subject': () => ({ claims: { sub: undefined } }),
    'without an audience': () => ({ claims: { aud: undefined } }),
    'for another server': () => ({ claims: { aud: 'https://other.example' } }),
    'for an address that begins like ours': () => ({ claims: { aud: `${issuer}.evil.example` } }),
    'without an id': () => ({ claims: { jti: undefined } }),
    'without an end': () => ({ claims: { exp: undefined } }),
    'that ended': () => ({ claims: { iat: nowS() - 120, exp: nowS() - 60 } }),
    'that is good for more than an hour': () => ({ claims: { exp: nowS() + 3_700 } }),
    'that is good for ever': () => ({ claims: { exp: Number.MAX_SAFE_INTEGER } }),
    'whose end is a text': () => ({ claims: { exp: `${nowS() + 60}` } }),
    'that begins later': () => ({ claims: { nbf: nowS() + 120 } }),
    'with a parameter that must be understood': () => ({ header: { crit: ['cls'], cls: true } }),
  };
  for (const [given, changes] of Object.entries(refused)) {
    it(`is refused with an assertion ${given}`, async () => {
      const { by = key, ...change } = changes();
      const text = await assertion(issuer, clientId, by, change).catch(() =>
        // A library that knows what it signs would not.
        signedAnyway(by, clientId, issuer, change),
      );
      const answer = await ask(text);
      expect(answer.status).to.equal(401);
      expect(await answer.json()).to.deep.equal({
        error: 'invalid_client',
        error_description: 'client authentication failed',
      });
    });
  }

  it('is refused with a signature by a secret, of no algorithm, or of another curve', async () => {
    const payload = { iss: clientId, sub: clientId, aud: issuer, jti: 'x', exp: nowS() + 60 };
    const encoded = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url');
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(payload)}.`;
    const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk));
    const hmac = await assertion(issuer, clientId, { ...key, alg: 'HS256', privateKey: secret });
    const longer = await newClientKey('ES384', key.kid);
    const otherCurve = await assertion(issuer, clientId, longer);
    for (const text of [unsigned, hmac, otherCurve]) {
      const answer = await ask(text);
      expect([answer.status, ((await answer.json()) as { error: string }).error]).to.deep.equal([
        401,
        'invalid_client',
      ]);
    }
  });

  it('is refused with an assertion that was used, also where both copies come at once', async () => {
    const once = await assertion(issuer, clientId, key);
    expect((await ask(once)).status).to.equal(200);
    expect((await ask(once)).status).to.equal(401);
    const twice = await assertion(issuer, clientId, key);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(twice)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
  });

  it('is refused with a secret, and a client with a secret is refused with a key', async () => {
    const options = `--auth-method private_key_jwt --jwks ${key.file}`;
    const { clientId: keyed } = await newKeyClient(world, options);
    const bySecret = await world.server.post('grant_type=client_credentials', {
      ...basic(keyed, world.server.client.secret),
      ...headers(),
    });
    expect(bySecret.status).to.equal(401);
    const { id } = world.server.client;
    expect((await ask(await assertion(issuer, id, key))).status).to.equal(401);
  });

  it('is recorded when it gets a token and when it is refused, without the assertion', async () => {
    await ask(await assertion(issuer, clientId, key));
    await ask(await assertion(issuer, clientId, foreign));
    const types = await eventually(async () => {
      const rows = await world.server.database.query<{ type: string; row: string }>(
        `SELECT type, e::text AS row FROM audit_event e WHERE client_id = $1 AND type LIKE 'token.%'`,
        [clientId],
      );
      for (const { row } of rows) expect(row).not.to.include('eyJ');
      const found = new Set(rows.map(({ type }) => type));
      expect([...found].sort()).to.deep.equal(['token.issued', 'token.refused']);
      return found;
    });
    expect(types.size).to.equal(2);
  });

  it('changes from a secret to a key and back, and each ends with the other', async () => {
    const made = await newKeyClient(world, '');
    const { clientId: id, clientSecret = '' } = made;
    const bySecret = (secret: string) =>
      world.server.post('grant_type=client_credentials', { ...basic(id, secret), ...headers() });
    expect((await bySecret(clientSecret)).status).to.equal(200);
    const update = `service-accounts update ${id} --auth-method`;
    const keyed = await world.done(`${update} private_key_jwt --jwks ${key.file}`);
    expect(keyed.proof).to.include({ token_endpoint_auth_method: 'private_key_jwt' });
    await eventually(async () => expect((await bySecret(clientSecret)).status).to.equal(401));
    expect((await ask(await assertion(issuer, id, key))).status).to.equal(200);
    const { code, stderr } = await world.run(`secrets create ${id}`);
    expect([code, stderr]).to.deep.equal([
      1,
      'it proves itself by private_key_jwt and has no secret; for one, first: update --auth-method client_secret\n',
    ]);
    const back = await world.run(`${update} client_secret`);
    expect(back.stdout).to.include('It has no secret yet');
    const { clientSecret: next } = await world.done(`secrets create ${id}`);
    await eventually(async () => expect((await bySecret(next)).status).to.equal(200));
    expect((await bySecret(clientSecret)).status).to.equal(401);
    expect((await ask(await assertion(issuer, id, key))).status).to.equal(401);
  });

  it('loses its keys when its customer is offboarded', async () => {
    await world.done('customers create kenya --name Kenya');
    const { clientId: id } = await world.done(
      `service-accounts create --name Leaving --customer kenya --permission cls-deal.view --auth-method private_key_jwt --jwks ${key.file}`,
    );
    await world.done('customers offboard kenya --no-audit --apply');
    const [row] = await world.server.database.query(
      'SELECT proof, disabled_at IS NULL AS enabled FROM service_account WHERE id = $1',
      [id],
    );
    expect(row).to.deep.equal({ proof: null, enabled: false });
  });

  it('is registered with public keys of good size alone', async () => {
    const { d: _, ...publicOnly } = key.publicJwk;
    const small = {
      kty: 'RSA',
      e: 'AQAB',
      n: Buffer.alloc(128, 0xff).toString('base64url'),
    };
    const rows: readonly (readonly [string, string])[] = [
      [`--jwks ${keySetFile({ ...publicOnly, d: 'AAAA' })}`, 'has a private or secret part'],
      [`--jwks ${keySetFile({ kty: 'oct', k: 'AAAA' })}`, 'has a private or secret part'],
      [`--jwks ${keySetFile(publicOnly, small)}`, 'key 2 is none of: RSA of 2048 bits or more'],
      [`--jwks ${keySetFile()}`, 'expected a JSON Web Key Set'],
      ['--jwks /nowhere/jwks.json', '/nowhere/jwks.json cannot be read: ENOENT'],
      ['--jwks-uri http://bank.example/jwks.json', '--jwks-uri: expected an https URL'],
      ['--jwks-uri https://user@bank.example/jwks.json', '--jwks-uri: expected an https URL'],
      ['', 'expected --auth-method with what it needs'],
      [`--jwks ${key.file} --jwks-uri https://bank.example/k`, 'expected --auth-method with what'],
      [`--jwks ${key.file} --tls-san-dns bank.example`, 'expected --auth-method with what'],
    ];
    for (const [options, why] of rows) {
      const { code, stderr } = await world.run(
        `service-accounts create --name Refused --customer india --permission cls-deal.view ${`--auth-method private_key_jwt ${options}`.trim()}`,
      );
      expect(code, options).to.be.greaterThan(0);
      expect(stderr).to.include(why);
    }
  });

  it('is offered in the metadata, with its algorithms', async () => {
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
    const algs = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
    expect(metadata).to.deep.include({
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algs,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algs,
    });
  });
});

async function signedAnyway(
  { alg, kid, privateKey }: ClientKey,
  clientId: string,
  issuer: string,
  { header }: AssertionChanges,
): Promise<string> {
  const encoded = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url');
  const payload = { iss: clientId, sub: clientId, aud: issuer, jti: 'crit', exp: nowS() + 60 };
  const text = `${encoded({ alg, kid, ...header })}.${encoded(payload)}`;
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text));
  return `${text}.${Buffer.from(signature).toString('base64url')}`;
}
