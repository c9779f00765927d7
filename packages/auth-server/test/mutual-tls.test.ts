import { X509Certificate } from 'node:crypto';
import { type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ConfigurationError } from '@cls/shared/environment';
import { newCertificate, type TestCertificate } from '@cls/testing/certificates';
import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { findBinary } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { parseConfig } from '../src/config.ts';
import { claimsOf } from './support/auth-server.ts';
import { assertion, assertionForm, newClientKey, newKeyClient } from './support/client-keys.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** Over http as the test's issuer is. */
const MTLS = 'http://mtls.cls.test';
const SETTINGS = { MTLS_BASE_URL: MTLS, TRUSTED_PROXY_HOPS: '1' };

/** What the shipped nginx makes of certificates: scripts/test/nginx.mtls.test.mjs. */
describeOnDatabase('a service account that has a client certificate (RFC 8705)', (engine) => {
  let world: ToolWorld;
  let own: TestCertificate;
  let other: TestCertificate;
  before(async function () {
    requireServer(this, 'openssl', findBinary('openssl'));
    world = await toolWorld(engine, SETTINGS);
    own = newCertificate(
      '/C=DE/O=Bänk, Ltd/CN=ledger',
      'DNS:ledger.bank.example,DNS:*.any.example',
    );
    other = newCertificate('/C=DE/O=Bänk, Ltd/CN=other', 'DNS:other.bank.example');
  });
  after(() => world?.stop());

  let requests = 0;
  const passedOn = (certificate: TestCertificate | undefined, verify = 'SUCCESS') => {
    requests += 1;
    return {
      // Each from an address of its own, so that no throttle is in between.
      'x-forwarded-for': `192.0.2.${requests}`,
      ...(certificate && {
        'x-client-certificate': encodeURIComponent(certificate.certificate),
        'x-client-certificate-verify': verify,
      }),
    };
  };
  const ask = (clientId: string, headers: Record<string, string>) =>
    world.server.post(`grant_type=client_credentials&client_id=${clientId}`, {
      ...FORM,
      ...headers,
    });
  const thumbprint = ({ certificate }: TestCertificate) =>
    Buffer.from(
      new X509Certificate(certificate).fingerprint256.replaceAll(':', ''),
      'hex',
    ).toString('base64url');
  const expectRefused = async (answer: Response) => {
    expect([answer.status, ((await answer.json()) as { error: string }).error]).to.deep.equal([
      401,
      'invalid_client',
    ]);
  };

  it('gets a token that is bound to its own, self-signed certificate', async () => {
    const { clientId } = await newKeyClient(
      world,
      `--auth-method self_signed_tls_client_auth --certificate ${own.certificateFile}`,
    );
    const answer = await ask(clientId, passedOn(own, 'FAILED:self-signed certificate'));
    expect(answer.status).to.equal(200);
    const { access_token: token, token_type: type } = (await answer.json()) as {
      access_token: string;
      token_type: string;
    };
    expect(type).to.equal('Bearer');
    expect(claimsOf(token)['cnf']).to.deep.equal({ 'x5t#S256': thumbprint(own) });
    await expectRefused(await ask(clientId, passedOn(other)));
    await expectRefused(await ask(clientId, passedOn(undefined)));
  });

  it('gets it by the name in a certificate of an authority', async () => {
    const { clientId } = await newKeyClient(
      world,
      '--auth-method tls_client_auth --tls-san-dns ledger.bank.example',
    );
    const answer = await ask(clientId, passedOn(own));
    expect(answer.status).to.equal(200);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    expect(claimsOf(token)['cnf']).to.deep.equal({ 'x5t#S256': thumbprint(own) });
    await expectRefused(await ask(clientId, passedOn(other)));
    for (const verify of ['FAILED:self-signed certificate', 'NONE', '', 'success']) {
      await expectRefused(await ask(clientId, passedOn(own, verify)));
    }
  });

  it('is refused by a name that only a wildcard of the certificate covers', async () => {
    const { clientId } = await newKeyClient(
      world,
      '--auth-method tls_client_auth --tls-san-dns one.any.example',
    );
    await expectRefused(await ask(clientId, passedOn(own)));
  });

  it('gets it by the subject of a certificate, as openssl writes it', async () => {
    const { stdout } = await world.run(
      'service-accounts create --name Subject --customer india --permission cls-deal.view --auth-method tls_client_auth --json --tls-subject-dn CN=ledger,O=Bänk\\,__Ltd,C=DE'.replace(
        '__',
        '\u00a0',
      ),
    );
    // The tool's words are split at spaces here: the subject's own is put in afterwards.
    const { clientId } = JSON.parse(stdout);
    await world.server.database.query(
      `UPDATE service_account SET proof = replace(proof::text, '\u00a0', ' ')::jsonb WHERE id = $1`,
      [clientId],
    );
    expect((await ask(clientId, passedOn(own))).status).to.equal(200);
    await expectRefused(await ask(clientId, passedOn(other)));
    const longer = newCertificate('/O=Evil/C=DE/O=Bänk, Ltd/CN=ledger');
    const lines = newCertificate('/C=DE/CN=ledger,O=Bänk, Ltd');
    for (const certificate of [longer, lines]) {
      await expectRefused(await ask(clientId, passedOn(certificate)));
    }
  });

  it('may sign with a key, and have tokens that are bound to its certificate', async () => {
    const key = await newClientKey('ES256');
    const { clientId } = await newKeyClient(
      world,
      `--auth-method private_key_jwt --jwks ${key.file} --binding certificate`,
    );
    const send = async (headers: Record<string, string>) =>
      world.server.post(assertionForm(await assertion(world.server.issuer, clientId, key)), {
        ...FORM,
        ...headers,
      });
    const good = await send(passedOn(own));
    const { access_token: token } = (await good.json()) as { access_token: string };
    expect(claimsOf(token)['cnf']).to.deep.equal({ 'x5t#S256': thumbprint(own) });
    const without = await send(passedOn(undefined));
    expect([without.status, await without.json()]).to.deep.equal([
      400,
      {
        error: 'invalid_grant',
        error_description:
          'this client’s tokens are bound to a certificate: expected a connection with it (RFC 8705)',
      },
    ]);
  });

  it('is told where to go by the metadata, which a standard library follows', async () => {
    const { issuer } = world.server;
    const path = '/.well-known/oauth-authorization-server';
    const metadata = (await (await fetch(`${issuer}${path}`)).json()) as Record<string, unknown>;
    expect(metadata).to.deep.include({
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: `${MTLS}/oauth/token`,
        revocation_endpoint: `${MTLS}/oauth/revoke`,
        introspection_endpoint: `${MTLS}/oauth/introspect`,
        pushed_authorization_request_endpoint: `${MTLS}/oauth/par`,
        device_authorization_endpoint: `${MTLS}/oauth/device`,
        userinfo_endpoint: `${MTLS}/oauth/userinfo`,
      },
    });
    for (const kind of ['token', 'revocation', 'introspection']) {
      expect(metadata[`${kind}_endpoint_auth_methods_supported`]).to.include.members([
        'tls_client_auth',
        'self_signed_tls_client_auth',
      ]);
    }
    const options = `--auth-method self_signed_tls_client_auth --certificate ${own.certificateFile}`;
    const { clientId } = await newKeyClient(world, `${options} --binding dpop`);
    const asked: string[] = [];
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { use_mtls_endpoint_aliases: true },
      client.TlsClientAuth(),
      {
        execute: [client.allowInsecureRequests],
        [client.customFetch]: (url, init) => {
          asked.push(url);
          const { host } = new URL(url);
          const { method, body } = init;
          const headers = { ...init.headers, ...passedOn(own), host };
          return throughProxy(url.replace(MTLS, issuer), { method, headers }, body);
        },
      },
    );
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const tokens = await client.clientCredentialsGrant(config, {}, { DPoP });
    expect(asked.at(-1)).to.equal(`${MTLS}/oauth/token`);
    expect(claimsOf(tokens.access_token)['cnf']).to.have.all.keys('jkt');
    expect(await client.tokenIntrospection(config, tokens.access_token)).to.include({
      active: true,
    });
    expect(asked.at(-1)).to.equal(`${MTLS}/oauth/introspect`);
  });

  it('is refused, and so is each binding, where no proxy is trusted with certificates', async () => {
    const untrusting = await toolWorld(engine, { TRUSTED_PROXY_HOPS: '1' });
    try {
      const { issuer } = untrusting.server;
      for (const options of [
        `--auth-method self_signed_tls_client_auth --certificate ${own.certificateFile}`,
        '--auth-method tls_client_auth --tls-san-dns ledger.bank.example',
        '--auth-method client_secret --binding certificate',
      ]) {
        const { clientId, clientSecret } = await newKeyClient(untrusting, options);
        const secret = clientSecret === undefined ? '' : `&client_secret=${clientSecret}`;
        const answer = await untrusting.server.post(
          `grant_type=client_credentials&client_id=${clientId}${secret}`,
          { ...FORM, ...passedOn(own) },
        );
        await expectRefused(answer);
      }
      const metadata = await (
        await fetch(`${issuer}/.well-known/oauth-authorization-server`)
      ).json();
      expect(metadata).not.to.have.any.keys(
        'mtls_endpoint_aliases',
        'tls_client_certificate_bound_access_tokens',
      );
    } finally {
      await untrusting.stop();
    }
  });
});

describe('the settings of mutual TLS and of published key sets', () => {
  const faultsOf = (env: Record<string, string>) => {
    try {
      parseConfig({ ISSUER: 'https://cls.test', ...env });
      return [];
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
  };

  it('need a proxy that is trusted, and in production TLS and public addresses', () => {
    const url = { MTLS_BASE_URL: 'http://mtls.cls.test' };
    expect(faultsOf({ ...url, TRUSTED_PROXY_HOPS: '1' })).to.deep.equal([]);
    expect(faultsOf(url).join()).to.include('MTLS_BASE_URL: needs TRUSTED_PROXY_HOPS');
    const production = faultsOf({
      ...{ ...url, TRUSTED_PROXY_HOPS: '1', JWKS_URI_TO_LOOPBACK: '1' },
      NODE_ENV: 'production',
    });
    expect(production.join()).to.include('MTLS_BASE_URL: expected an https URL in production');
    expect(production.join()).to.include('JWKS_URI_TO_LOOPBACK: is for development');
  });
});

/** `fetch` does not let a caller choose the host. */
function throughProxy(url: string, options: RequestOptions, body: unknown): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, async (incoming) => {
      const { statusCode: status = 0, headers } = incoming;
      const type = { 'content-type': headers['content-type'] ?? '' };
      resolve(new Response(await text(incoming), { status, headers: type }));
    });
    outgoing.on('error', reject).end(body == null ? undefined : String(body));
  });
}
