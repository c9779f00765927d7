// deploy/nginx.conf with a real nginx, two real replicas of each service and a real PostgreSQL.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  endWithTests,
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { NGINX, startNginx } from '../drills/nginx.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const KEY = Buffer.alloc(32, 7).toString('base64url');
const HOST = 'cls.example';
const REPLICAS = { 'auth-server': ['8081', '8181'], 'resource-api': ['8082', '8182'] };

describe('nginx in front of two replicas of each service', () => {
  let folder;
  let ports;
  let environment;
  let ca;
  let nginx;
  let services;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    const postgres = await postgresServer();
    requireServer(this, 'PostgreSQL', postgres);
    folder = temporaryDirectory('cls-nginx-');
    ports = {};
    for (const name of ['80', '443', ...Object.values(REPLICAS).flat()]) {
      ports[name] = await freePort();
    }
    environment = {
      ...process.env,
      NODE_ENV: 'production',
      ISSUER: `https://${HOST}`,
      JWKS_URL: `http://127.0.0.1:${ports['8081']}/.well-known/jwks.json`,
      AUTH_DATABASE_URL: await postgres.createDatabase(),
      API_DATABASE_URL: await postgres.createDatabase(),
      KEY_ENCRYPTION_KEY: KEY,
      COOKIE_KEY: KEY,
      CURSOR_KEY: KEY,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'CLS <no-reply@cls.example>',
      SUPPORT_URL: 'mailto:help@cls.example',
      TRUSTED_PROXY_HOPS: '1',
      DRAIN_DELAY_MS: '500',
      RATE_LIMIT_PER_MINUTE: '0',
      TOKENS_PER_MINUTE: '0',
      CUSTOMER_TOKENS_PER_MINUTE: '0',
      CLS_DATA_DIR: join(folder, 'data'),
    };
    services = new Map();
    for (const [service, replicas] of Object.entries(REPLICAS)) {
      for (const replica of replicas) await start(service, replica);
    }
    ({ child: nginx, ca } = startNginx(folder, ports));
    await eventually(async () => expect((await send('/api')).status).to.equal(200));
  });
  after(() => {
    agent.destroy();
    nginx?.kill('SIGTERM');
    for (const child of services?.values() ?? []) child.kill('SIGKILL');
  });

  async function start(service, replica) {
    const prefix = service === 'auth-server' ? 'AUTH' : 'API';
    const child = endWithTests(
      spawn(process.execPath, [join(root, 'packages', service, 'dist', 'src', 'main.js')], {
        env: {
          ...environment,
          [`${prefix}_HOST`]: '127.0.0.1',
          [`${prefix}_PORT`]: `${ports[replica]}`,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    let faults = '';
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    services.set(replica, child);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${service} ended: ${faults}`);
      if (!(await fetch(`http://127.0.0.1:${ports[replica]}/readyz`)).ok) throw new Error(faults);
    }, 300_000);
  }

  async function restart(replica) {
    const child = services.get(replica);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await start(
      REPLICAS['auth-server'].includes(replica) ? 'auth-server' : 'resource-api',
      replica,
    );
  }

  /** Over TLS whose certificate is verified. */
  function send(path, { method = 'GET', headers = {}, body } = {}) {
    return new Promise((done, failed) => {
      const outgoing = request(
        {
          ...{ agent, ca, method, path, servername: HOST, host: '127.0.0.1', port: ports['443'] },
          headers: { host: HOST, ...headers },
        },
        (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.once('error', failed);
          response.once('end', () =>
            done({
              status: response.statusCode,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      outgoing.once('error', failed);
      outgoing.end(body);
    });
  }

  async function token({ clientId, clientSecret }) {
    return send('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
  }

  const tool = (...words) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [join(root, 'packages', 'auth-server', 'bin', 'cls-auth.mjs'), ...words, '--json'],
        { env: environment },
      ).toString(),
    );

  it('loses no request while each replica restarts, one right after the other', async () => {
    tool('customers', 'create', 'acme', '--name', 'Acme');
    const permission = ['--permission', 'external-api.fullcontrol'];
    const caller = tool(
      'service-accounts',
      'create',
      '--name',
      'Load',
      '--customer',
      'acme',
      ...permission,
    );
    const issued = await token(caller);
    expect(issued.status, issued.text).to.equal(200);
    const authorization = `Bearer ${JSON.parse(issued.text).access_token}`;
    const answers = new Map();
    let going = true;
    const ask = async (name, question) => {
      while (going) {
        const outcome = await question().then(
          ({ status }) => `${name} ${status}`,
          (error) => `${name} ${error.code ?? error.message}`,
        );
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      }
    };
    const load = [
      ask('read', () => send('/api/v1/cls/balances?limit=1', { headers: { authorization } })),
      ask('read', () => send('/api/v1/cls/balances?limit=2', { headers: { authorization } })),
      ask('token', () => token(caller)),
    ];
    for (const replica of ['8082', '8182', '8081', '8181']) await restart(replica);
    going = false;
    await Promise.all(load);
    expect([...answers.keys()].sort()).to.deep.equal(['read 200', 'token 200']);
  });

  it('answers reads while one replica is killed', async () => {
    services.get('8082').kill('SIGKILL');
    for (let n = 0; n < 20; n += 1) expect((await send('/api')).status).to.equal(200);
    await start('resource-api', '8082');
  });

  it('answers with a problem document, and 503, while no replica is there', async () => {
    const pair = ['8082', '8182'].map((replica) => services.get(replica));
    await Promise.all(
      pair.map((child) => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        return exited;
      }),
    );
    const headers = { 'x-request-id': 'Root=1-67891233-abcdef' };
    const refused = await send('/api/v1/cls/balances', { headers });
    expect(refused.status).to.equal(503);
    expect(refused.headers).to.include({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': '2',
      'strict-transport-security': 'max-age=31536000',
      'x-request-id': 'Root=1-67891233-abcdef',
    });
    expect(JSON.parse(refused.text)).to.include({
      code: 'unavailable',
      status: 503,
      requestId: 'Root=1-67891233-abcdef',
    });
    const page = await send('/api/v1/cls/balances', {
      headers: { accept: 'text/html', 'accept-language': 'de' },
    });
    expect(page.status).to.equal(503);
    expect(page.headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'de',
      'retry-after': '2',
    });
    expect(page.text).to.include('<h1>Das ist im Moment nicht möglich</h1>');
    await Promise.all([start('resource-api', '8082'), start('resource-api', '8182')]);
    await eventually(async () => expect((await send('/api')).status).to.equal(200));
  });

  it('answers a body and headers that are too large with problem documents', async () => {
    const large = await send('/oauth/token', { method: 'POST', body: 'x'.repeat(70_000) });
    expect(large.status).to.equal(413);
    expect(JSON.parse(large.text)).to.include({ code: 'too_large', status: 413 });
    // A file for import is larger: the service answers, here that there is no token.
    const file = await send('/api/v1/cls/imports', { method: 'POST', body: 'x'.repeat(70_000) });
    expect(JSON.parse(file.text)).to.include({ code: 'missing_token', status: 401 });
    const accept = 'text/html';
    const page = await send('/device', {
      ...{ method: 'POST', headers: { accept }, body: 'x'.repeat(70_000) },
    });
    expect([page.status, page.headers['content-type']]).to.deep.equal([
      413,
      'text/html; charset=utf-8',
    ]);
    expect(page.text).to.include('<h1>That was too much at once</h1>');
    const long = await send('/api', { headers: { 'x-long': 'x'.repeat(17_000) } });
    expect(long.status).to.equal(400);
    expect(JSON.parse(long.text)).to.include({ code: 'invalid_request', status: 400 });
  });

  it('answers what it cannot read, and what is not served, with problem documents', async () => {
    const long = await send(`/oauth/authorize?state=THE-SECRET${'x'.repeat(17_000)}`);
    expect(long.status).to.equal(414);
    expect(JSON.parse(long.text)).to.include({ code: 'too_long', status: 414 });
    for (const [path, init] of [
      ['/api', { method: 'TRACE' }],
      ['/api/%zz', {}],
      ['/oauth/token', { method: 'POST', headers: { 'transfer-encoding': 'gzip, chunked' } }],
    ]) {
      const refused = await send(path, init);
      expect(refused.status, path).to.equal(400);
      const problem = JSON.parse(refused.text);
      expect(problem).to.include({ code: 'invalid_request', status: 400 });
      expect(problem.requestId).to.equal(refused.headers['x-request-id']);
    }
  });

  it('passes the services’ own errors on as they are', async () => {
    const refused = await send('/api/v1/cls/balances');
    expect(refused.status).to.equal(401);
    expect(JSON.parse(refused.text)).to.include({ code: 'missing_token' });
    const nothing = await send('/readyz');
    expect(nothing.status).to.equal(404);
    expect(JSON.parse(nothing.text)).to.include({ code: 'not_found' });
    expect(nothing.headers['strict-transport-security']).to.equal('max-age=31536000');
  });

  it('serves the documentation, and its own errors link there', async () => {
    expect((await send('/docs')).status).to.equal(200);
    const style = await send('/docs/assets/documentation.css');
    expect(style.headers['content-type']).to.include('text/css');
    const malformed = await send('/api/%zz');
    expect(JSON.parse(malformed.text).type).to.match(/^https:\/\/[^/]+\/docs\/errors\/\w+$/);
  });

  it('leads what a person opens without TLS to https, and refuses what holds a secret', async () => {
    const plain = (path, init) =>
      fetch(`http://127.0.0.1:${ports['80']}${path}`, { redirect: 'manual', ...init });
    const led = await plain('/account?lang=de');
    expect(led.status).to.equal(308);
    expect(led.headers.get('location')).to.equal(`https://${HOST}/account?lang=de`);
    for (const init of [
      { method: 'POST', body: 'a=1' },
      { headers: { authorization: 'Bearer x' } },
      { method: 'PUT', body: 'x'.repeat(70_000) },
    ]) {
      const refused = await plain('/oauth/token', init);
      expect(refused.status).to.equal(403);
      expect(await refused.json()).to.include({ code: 'https_required' });
    }
  });

  it('speaks no TLS older than 1.2', async () => {
    const old = await new Promise((done) => {
      const socket = connect(ports['443'], '127.0.0.1', () => {
        // A TLS 1.0 hello with one cipher, as an old client would send it.
        const body = Buffer.concat([
          Buffer.from('0301', 'hex'),
          Buffer.alloc(32),
          Buffer.from('00', 'hex'),
          Buffer.from('0002c013', 'hex'),
          Buffer.from('0100', 'hex'),
        ]);
        const hello = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body]);
        socket.write(Buffer.concat([Buffer.from([22, 3, 1, 0, hello.length]), hello]));
      });
      socket.once('data', (data) => done(data[0]));
      socket.once('error', () => done('closed'));
      socket.once('close', () => done('closed'));
    });
    // 21: an alert.
    expect(old).to.be.oneOf([21, 'closed']);
  });

  it('writes no query into its logs where it may hold a secret, and faults into the error log', async () => {
    const pair = ['8081', '8181'].map((replica) => services.get(replica));
    await Promise.all(
      pair.map((child) => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        return exited;
      }),
    );
    for (const path of ['/password/new', '/invitation', '/upstream/x.example', '/device']) {
      expect((await send(`${path}?token=THE-SECRET`)).status).to.equal(503);
    }
    expect((await send('/account')).status).to.equal(503);
    const logs = () =>
      ['access.log', 'error.log'].map((name) => readFileSync(join(folder, 'log', name), 'utf8'));
    await eventually(async () => expect(logs()[0]).to.include('/invitation HTTP'));
    const [access, errors] = logs();
    expect(`${access}${errors}`).not.to.include('THE-SECRET');
    expect(errors).to.include('GET /account');
  });
});
