// deploy/nginx.explorer.conf beside nginx.conf, with a real nginx, a real Chromium and a real PostgreSQL:
// a person signs in over TLS, through two replicas of the explorer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { runTool } from '../../packages/auth-server/dist/test/support/tool.js';
import { runWith } from '../../packages/resource-api/dist/test/support/tool.js';
import { sharedBrowser } from '../../packages/testing/dist/src/browser.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  endWithTests,
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { stdoutOf } from '../../packages/testing/dist/src/tool-host.js';
import { DEMO, demoBook } from '../demo-book.mjs';
import { NGINX, startNginxOfBoth } from '../drills/nginx.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const KEY = Buffer.alloc(32, 7).toString('base64url');
const EMAIL = 'ben@agency.example';
const PORTS = ['80', '443', '8081', '8082', '8083', '8183'];

describe('nginx in front of two replicas of the explorer', () => {
  let folder;
  let ports;
  let environment;
  let nginx;
  let explorers;
  const services = [];
  let browser;
  let context;
  let page;
  /** Names that every machine resolves: the issuer's host and the explorer's. */
  let issuer;
  let explorer;
  let password;

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    const postgres = await postgresServer();
    requireServer(this, 'PostgreSQL', postgres);
    browser = await sharedBrowser(this);
    folder = temporaryDirectory('cls-nginx-explorer-');
    ports = {};
    for (const name of PORTS) ports[name] = await freePort();
    let certificate;
    ({ child: nginx, certificate, issuer, explorer } = startNginxOfBoth(folder, ports));
    environment = {
      ...process.env,
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: certificate,
      ISSUER: issuer,
      JWKS_URL: `http://127.0.0.1:${ports[8081]}/.well-known/jwks.json`,
      AUTH_DATABASE_URL: await postgres.createDatabase(),
      API_DATABASE_URL: await postgres.createDatabase(),
      EXPLORER_DATABASE_URL: await postgres.createDatabase(),
      KEY_ENCRYPTION_KEY: KEY,
      COOKIE_KEY: KEY,
      CURSOR_KEY: KEY,
      EXPLORER_SESSION_KEY: KEY,
      EXPLORER_URL: explorer,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'CLS <no-reply@cls.example>',
      SUPPORT_URL: 'mailto:help@cls.example',
      TRUSTED_PROXY_HOPS: '1',
      CLS_DATA_DIR: join(folder, 'data'),
    };
    await Promise.all([start('auth-server', 'AUTH', '8081'), start('resource-api', 'API', '8082')]);
    const { clientId, clientSecret } = await prepare();
    Object.assign(environment, {
      EXPLORER_CLIENT_ID: clientId,
      EXPLORER_CLIENT_SECRET: clientSecret,
    });
    explorers = [];
    for (const port of ['8083', '8183']) explorers.push(await start('explorer', 'EXPLORER', port));
    context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' });
    page = await context.newPage();
    page.setDefaultTimeout(240_000);
  });
  after(async () => {
    await context?.close();
    nginx?.kill('SIGTERM');
    for (const child of services) child.kill('SIGKILL');
  });

  async function start(service, prefix, port) {
    const child = endWithTests(
      spawn(process.execPath, [join(root, 'packages', service, 'dist', 'src', 'main.js')], {
        env: {
          ...environment,
          [`${prefix}_HOST`]: '127.0.0.1',
          [`${prefix}_PORT`]: `${ports[port]}`,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    services.push(child);
    let faults = '';
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${service} ended: ${faults}`);
      const response = await fetch(`http://127.0.0.1:${ports[port]}/readyz`);
      if (!response.ok) throw new Error(`${await response.text()} ${faults}`);
    });
    return child;
  }

  /** A book, a customer who is its agent, a person, and the explorer as an application. */
  async function prepare() {
    const auth = async (...words) =>
      JSON.parse(stdoutOf(await runTool([...words, '--json'], environment), words[0]));
    const api = async (...words) => stdoutOf(await runWith(environment, ...words), words[0]);
    const file = join(folder, 'book.ndjson');
    writeFileSync(file, demoBook()[0]);
    await api('journals', 'import', file, '--apply');
    const grant = ['--new-customer', '--customer', 'agency', '--role', 'agent', '--all'];
    await api('entitlements', 'grant', ...grant);
    await auth('customers', 'create', 'agency', '--name', 'The agency desk');
    const person = ['--customer', 'agency', '--permission', 'cls-deal.view'];
    ({ password } = await auth('accounts', 'create', EMAIL, ...person, '--generate-password'));
    const uris = [
      ...['--redirect-uri', `${explorer}/callback`],
      ...['--post-logout-redirect-uri', `${explorer}/signed-out`],
      ...['--backchannel-logout-uri', `${explorer}/backchannel-logout`],
    ];
    const permissions = ['cls-deal.view', 'external-api.fullcontrol'];
    const scopes = ['--scope', 'openid', 'email', 'profile', ...permissions];
    return auth(
      'applications',
      'create',
      '--name',
      'Balances',
      '--confidential',
      ...scopes,
      ...uris,
    );
  }

  it('signs a person in, shows a deal, and hands out its file, through both replicas', async () => {
    await page.goto(`${explorer}/deals/${DEMO.deal}`);
    expect(new URL(page.url()).origin).to.equal(issuer);
    await page.fill('[name=email]', EMAIL);
    await page.fill('[name=password]', password);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL((url) => url.origin === explorer);
    for (let n = 0; n < 4; n += 1) {
      await page.reload();
      expect(await page.textContent('h1')).to.equal('MER-2022 Meridian Components 2022');
    }
    const cookies = await context.cookies(explorer);
    const session = cookies.find(({ name }) => name === '__Host-cls_explorer');
    expect(session).to.include({ secure: true, httpOnly: true, sameSite: 'Lax', path: '/' });
    const response = await page.request.get(`${explorer}/deals/${DEMO.deal}/movements.csv`);
    expect(response.headers()).to.include({
      'content-type': 'text/csv; charset=utf-8',
      'strict-transport-security': 'max-age=31536000',
    });
    expect((await response.text()).split('\r\n').length).to.be.greaterThan(20);
  });

  it('writes no code of a sign-in into its logs', async () => {
    await eventually(async () => {
      const text = readFileSync(join(folder, 'log', 'access.log'), 'utf8');
      expect(text).to.include('GET /callback HTTP').and.include(`GET /deals/${DEMO.deal} `);
    });
    for (const name of ['access.log', 'error.log']) {
      expect(readFileSync(join(folder, 'log', name), 'utf8')).not.to.match(/code=|state=/);
    }
  });

  it('answers for the platform’s addresses that there is nothing', async () => {
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const response = await page.request.get(`${explorer}${path}`);
      expect(response.status(), path).to.equal(404);
      expect(await response.text()).to.include('There is nothing here');
    }
  });

  it('shows the person’s pages while one replica is gone, and words of its own without any', async () => {
    const ended = (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      return exited;
    };
    await ended(explorers[0]);
    for (let n = 0; n < 4; n += 1) {
      await page.reload();
      expect(await page.textContent('h1')).to.include('MER-2022');
    }
    await ended(explorers[1]);
    const response = await page.goto(`${explorer}/deals?lang=de`);
    expect(response.status()).to.equal(503);
    expect(response.headers()).to.include({
      'retry-after': '2',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(await page.textContent('h1')).to.equal('We cannot do this just now');
    await start('explorer', 'EXPLORER', '8083');
    await page.goto(`${explorer}/deals`);
    expect(await page.textContent('h1')).to.equal('Deals');
  });

  it('signs out of the issuer too, and shows nothing any more', async () => {
    await page.click('header button');
    await page.waitForURL((url) => url.pathname === '/signed-out');
    await page.goto(`${explorer}/deals`);
    expect(new URL(page.url()).origin).to.equal(issuer);
    expect(await page.locator('[name=password]').count()).to.equal(1);
  });
});
