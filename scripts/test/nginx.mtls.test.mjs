// deploy/nginx.mtls.conf beside nginx.conf, with a real nginx, real services and real client certificates.
import { spawn } from 'node:child_process';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { runTool } from '../../packages/auth-server/dist/test/support/tool.js';
import { newCertificate } from '../../packages/testing/dist/src/certificates.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  endWithTests,
  eventually,
  findBinary,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { stdoutOf } from '../../packages/testing/dist/src/tool-host.js';
import { NGINX, startNginx } from '../drills/nginx.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const KEY = Buffer.alloc(32, 7).toString('base64url');
const [HOST, MTLS] = ['cls.example', 'mtls.cls.example'];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('nginx that asks callers for certificates', () => {
  let ports;
  let ca;
  let environment;
  const children = [];
  const services = [];
  const certificates = {};

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    requireServer(this, 'openssl', findBinary('openssl'));
    const postgres = await postgresServer();
    requireServer(this, 'PostgreSQL', postgres);
    const folder = temporaryDirectory('cls-nginx-mtls-');
    ports = {};
    for (const name of ['80', '443', '8081', '8082', '8181', '8182'])
      ports[name] = await freePort();
    const authority = newCertificate('/CN=Bank CA', 'DNS:ca.bank.example');
    const names = 'DNS:ledger.bank.example';
    certificates.certified = newCertificate('/O=Bank/CN=ledger', names, authority);
    certificates.selfSigned = newCertificate('/O=Bank/CN=ledger', names);
    certificates.stranger = newCertificate('/O=Bank/CN=ledger', names);
    environment = {
      ...process.env,
      NODE_ENV: 'production',
      ISSUER: `https://${HOST}`,
      MTLS_BASE_URL: `https://${MTLS}`,
      JWKS_URL: `http://127.0.0.1:${ports['8081']}/.well-known/jwks.json`,
      AUTH_DATABASE_URL: await postgres.createDatabase(),
      API_DATABASE_URL: await postgres.createDatabase(),
      ...{ KEY_ENCRYPTION_KEY: KEY, COOKIE_KEY: KEY, CURSOR_KEY: KEY },
      SMTP_URL: 'smtp://127.0.0.1:9',
      TRUSTED_PROXY_HOPS: '1',
      CLS_DATA_DIR: join(folder, 'data'),
    };
    await start('auth-server', 'AUTH', ports['8081']);
    await start('resource-api', 'API', ports['8082']);
    const nginx = startNginx(folder, ports, authority.certificateFile);
    children.push(nginx.child);
    ca = nginx.ca;
    await eventually(async () => expect((await send(HOST, '/api')).status).to.equal(200));
    await tool('customers create bank --name Bank');
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  async function start(service, prefix, port) {
    const main = join(root, 'packages', service, 'dist', 'src', 'main.js');
    const own = { [`${prefix}_HOST`]: '127.0.0.1', [`${prefix}_PORT`]: `${port}` };
    const child = spawn(process.execPath, [main], {
      env: { ...environment, ...own },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(endWithTests(child));
    services.push(child);
    await eventually(async () => {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200);
    });
  }

  async function tool(words) {
    return JSON.parse(stdoutOf(await runTool([...words.split(' '), '--json'], environment), words));
  }

  const register = async (options) => {
    const name = options.replace(/\W+/g, '-').slice(0, 60);
    const account = `--name ${name} --customer bank --permission cls-deal.view`;
    return (await tool(`service-accounts create ${account} ${options}`)).clientId;
  };

  /** Over TLS, with the certificate that is given. */
  function send(host, path, { certificate, headers = {}, body } = {}) {
    return new Promise((done, failed) => {
      const mutual = certificate && { cert: certificate.certificate, key: certificate.key };
      const outgoing = request(
        {
          ...{ ca, ...mutual, path, servername: host, host: '127.0.0.1', port: ports['443'] },
          ...{ agent: false, method: body === undefined ? 'GET' : 'POST' },
          headers: { host, ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.once('end', () =>
            done({ status: response.statusCode, body: text && JSON.parse(text) }),
          );
        },
      );
      outgoing.once('error', failed).end(body);
    });
  }

  const ask = (clientId, certificate, host = MTLS, headers = {}) =>
    send(host, '/oauth/token', {
      certificate,
      headers: { ...FORM, ...headers },
      body: `grant_type=client_credentials&client_id=${clientId}`,
    });
  const balances = (token, certificate, host = MTLS) =>
    send(host, '/api/v1/cls/balances', {
      certificate,
      headers: { authorization: `Bearer ${token}` },
    });

  it('lets a certificate of an authority, and a registered one of its own, get and use a token', async () => {
    for (const [options, certificate] of [
      ['--auth-method tls_client_auth --tls-san-dns ledger.bank.example', certificates.certified],
      ['--auth-method tls_client_auth --tls-subject-dn CN=ledger,O=Bank', certificates.certified],
      [
        `--auth-method self_signed_tls_client_auth --certificate ${certificates.selfSigned.certificateFile}`,
        certificates.selfSigned,
      ],
    ]) {
      const id = await register(options);
      const { status, body } = await ask(id, certificate);
      expect(status, options).to.equal(200);
      expect((await balances(body.access_token, certificate)).status).to.equal(200);
      for (const [other, host] of [
        [certificates.stranger, MTLS],
        [undefined, MTLS],
        [undefined, HOST],
      ]) {
        expect((await ask(id, other, host)).status).to.equal(401);
        const refused = await balances(body.access_token, other, host);
        expect([refused.status, refused.body.code]).to.deep.equal([403, 'token_invalid']);
      }
    }
  });

  it('believes no certificate that a caller writes into a header', async () => {
    const { certified } = certificates;
    const id = await register('--auth-method tls_client_auth --tls-san-dns forged.bank.example');
    const own = await register('--tls-san-dns ledger.bank.example --auth-method tls_client_auth');
    const headers = {
      'X-Client-Certificate': encodeURIComponent(certified.certificate),
      'X-Client-Certificate-Verify': 'SUCCESS',
    };
    for (const host of [HOST, MTLS]) {
      expect((await ask(own, undefined, host, headers)).status).to.equal(401);
      expect((await ask(own, certificates.stranger, host, headers)).status).to.equal(401);
    }
    expect((await ask(id, certified)).status).to.equal(401);
  });

  it('asks nobody for a certificate on the host of people, and has no pages on its own', async () => {
    const { status, body } = await send(HOST, '/.well-known/oauth-authorization-server');
    expect([status, body.mtls_endpoint_aliases.token_endpoint]).to.deep.equal([
      200,
      `https://${MTLS}/oauth/token`,
    ]);
    for (const path of ['/account', '/oauth/authorize', '/device', '/readyz']) {
      expect((await send(MTLS, path)).status, path).to.equal(404);
    }
  });

  it('says what is wrong where nginx itself answers, in the shape of each endpoint', async () => {
    const path = '/api/v1/cls/balances';
    const tooLarge = await send(MTLS, path, { headers: FORM, body: 'x'.repeat(70_000) });
    expect([tooLarge.status, tooLarge.body.code]).to.deep.equal([413, 'too_large']);
    const tooLong = await send(MTLS, `${path}?q=${'x'.repeat(20_000)}`);
    expect([tooLong.status, tooLong.body.code]).to.deep.equal([414, 'too_long']);
    for (const child of services) child.kill('SIGKILL');
    await eventually(async () => {
      const { status, body } = await ask('any');
      expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable']);
    });
    const away = await send(MTLS, path);
    expect([away.status, away.body.code]).to.deep.equal([503, 'unavailable']);
  });
});
