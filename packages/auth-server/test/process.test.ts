import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeStore } from '@cls/testing/embedded-template';
import { requireServer } from '@cls/testing/engines';
import {
  endWithTests,
  eventually,
  freePort,
  startRedis,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { totpCode } from './support/auth-server.ts';
import { runTool } from './support/tool.ts';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

function start(env: Record<string, string>): Running {
  const child = endWithTests(
    spawn(process.execPath, [MAIN], { env: { ...process.env, ...env }, stdio: 'pipe' }),
  );
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  return { child, output: () => output, exited };
}

describe('the auth-server process', () => {
  let env: Record<string, string>;
  let issuer: string;
  let running: Running;
  before(async () => {
    const port = await freePort();
    issuer = `http://localhost:${port}`;
    env = {
      ISSUER: issuer,
      AUTH_PORT: `${port}`,
      CLS_DATA_DIR: join(temporaryDirectory('cls-process-'), 'data'),
    };
    running = start(env);
    await ready();
  });
  after(() => running?.child.kill('SIGKILL'));

  const ready = () =>
    eventually(async () => {
      if (!(await fetch(`${issuer}/readyz`)).ok) throw new Error('not ready');
    });
  const signIn = (body: object) =>
    fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('starts without a warning but the library’s notice on Node 20, and logs JSON', () => {
    const lines = running.output().trim().split('\n');
    const plain = lines.filter((line) => !line.startsWith('{'));
    const notice =
      'oidc-provider WARNING: Unsupported runtime. Use Node.js v22.x LTS, or a later LTS release.';
    expect(plain.filter((line) => line !== notice)).to.deep.equal([]);
    if (!process.version.startsWith('v20.')) expect(plain).to.deep.equal([]);
  });

  it('loses nothing that it acknowledged when it is killed', async () => {
    await runTool(['customers', 'create', 'acme', '--name', 'Acme'], env);
    const options = ['--customer', 'acme', '--permission', 'cls-deal.view'];
    const made = await runTool(
      ['accounts', 'create', 'a@acme.example', ...options, '--generate-password', '--json'],
      env,
    );
    const { password } = JSON.parse(made.stdout);
    const enrolled = await runTool(['accounts', 'enrol-totp', 'a@acme.example', '--json'], env);
    const { totpSecret } = JSON.parse(enrolled.stdout);
    const otp = totpCode(totpSecret);
    expect((await signIn({ email: 'a@acme.example', password, otp })).status).to.equal(200);
    const guess = () => signIn({ email: 'b@acme.example', password: 'a wrong password' });
    const before = await Promise.all(Array.from({ length: 12 }, guess));
    expect(before.some(({ status }) => status === 429)).to.equal(true);
    const kids = await (await fetch(`${issuer}/.well-known/jwks.json`)).text();

    running.child.kill('SIGKILL');
    await running.exited;
    running = start(env);
    await ready();

    const replay = await signIn({ email: 'a@acme.example', password, otp });
    expect(replay.status, 'the code stays spent').to.equal(400);
    const after = await Promise.all(Array.from({ length: 12 }, guess));
    const admitted = after.filter(({ status }) => status !== 429);
    // The first delay, half a minute, may be over by now. A new throttle would admit ten.
    expect(admitted.length, 'the throttle goes on').to.be.at.most(1);
    expect(await (await fetch(`${issuer}/.well-known/jwks.json`)).text()).to.equal(kids);
  });

  it('is refused on a data directory that another holds, with a clear message', async () => {
    const second = start({ ...env, AUTH_PORT: `${await freePort()}` });
    expect(await second.exited).to.equal(1);
    expect(second.output()).to.include(`is in use by process ${running.child.pid}`);
    expect(second.output()).not.to.match(/\n\s+at /);
  });

  it('names every fault of its configuration at once, without values', async () => {
    const refused = start({
      NODE_ENV: 'production',
      ISSUER: 'http://cls.example/',
      AUTH_PORT: 'many',
      KEY_ENCRYPTION_KEY: 'too-short-a-secret',
    });
    expect(await refused.exited).to.equal(1);
    const output = refused.output();
    for (const name of [
      'ISSUER',
      'AUTH_PORT',
      'KEY_ENCRYPTION_KEY',
      'COOKIE_KEY',
      'AUTH_DATABASE_URL',
      'SMTP_URL',
    ]) {
      expect(output).to.include(name);
    }
    expect(output).not.to.include('too-short-a-secret').and.not.include('many');
  });

  it('does not start in production on a database with demo callers', async () => {
    const production = {
      NODE_ENV: 'production',
      ISSUER: 'https://cls.example',
      AUTH_PORT: '0',
      ALLOW_EMBEDDED: '1',
      KEY_ENCRYPTION_KEY: 'A'.repeat(43),
      COOKIE_KEY: 'A'.repeat(43),
      SMTP_URL: 'smtps://mail.cls.example',
      CLS_DATA_DIR: join(temporaryDirectory('cls-process-'), 'data'),
    };
    await makeStore(join(production.CLS_DATA_DIR, 'auth-server', 'database'), MIGRATIONS);
    await runTool(['customers', 'create', 'demo', '--name', 'Demo', '--demo'], production);
    const refused = start(production);
    expect(await refused.exited).to.equal(1);
    expect(refused.output())
      .to.include('demo customers (demo)')
      .and.not.match(/\n\s+at /);
    await runTool(['customers', 'disable', 'demo'], production);
    const started = start(production);
    await eventually(async () => expect(started.output()).to.include('is listening'));
    started.child.kill('SIGTERM');
    expect(await started.exited).to.equal(0);
  });

  it('ends requests under way and exits 0 when asked to stop', async () => {
    const body = JSON.stringify({ email: 'c@acme.example', password: 'some password or other' });
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      expect: '100-continue',
    };
    const pending = request(`${issuer}/oauth/token`, { method: 'POST', headers });
    const answer = once(pending, 'response');
    pending.flushHeaders();
    await once(pending, 'continue'); // The service has the request now.
    running.child.kill('SIGTERM');
    pending.end(body);
    expect((await answer)[0].statusCode).to.equal(400);
    expect(await running.exited).to.equal(0);
    expect(running.output()).not.to.include('"log.level":"error"');
  });
});

describe('auth-server with its protocol state in Redis', () => {
  it('serves tokens while Redis is down, and says of sign-ins that they can be tried again', async function () {
    const redis = await startRedis();
    requireServer(this, 'Redis', redis);
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const env = {
      ISSUER: issuer,
      AUTH_PORT: `${port}`,
      REDIS_URL: redis.url,
      CLS_DATA_DIR: join(temporaryDirectory('cls-process-'), 'data'),
    };
    await makeStore(join(env.CLS_DATA_DIR, 'auth-server', 'database'), MIGRATIONS);
    const running = start(env);
    await eventually(async () => {
      if (!(await fetch(`${issuer}/readyz`)).ok) throw new Error('not ready');
    });
    await runTool(['customers', 'create', 'acme', '--name', 'Acme'], env);
    const options = ['--customer', 'acme', '--permission', 'cls-deal.view', '--json'];
    const made = await runTool(['service-accounts', 'create', '--name', 'x', ...options], env);
    const { clientId, clientSecret } = JSON.parse(made.stdout);
    const account = ['accounts', 'create', 'a@acme.example', ...options, '--generate-password'];
    const { password } = JSON.parse((await runTool(account, env)).stdout);
    await runTool(['accounts', 'enrol-totp', 'a@acme.example'], env);
    redis.process.kill('SIGKILL');
    const response = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    expect(response.status).to.equal(200);
    const signIn = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@acme.example', password }),
    });
    expect(signIn.status, 'a sign-in that has a token to keep').to.equal(503);
    expect(signIn.headers.get('retry-after')).to.equal('2');
    expect(await signIn.json()).to.include({ error: 'temporarily_unavailable' });
    const unready = await fetch(`${issuer}/readyz`);
    expect(unready.status).to.equal(503);
    expect(await unready.json()).to.deep.include({
      checks: { database: 'ok', protocol_state: 'unavailable', audit: 'ok', clock: 'ok' },
    });
    running.child.kill('SIGTERM');
    expect(await running.exited).to.equal(0);
  });
});
