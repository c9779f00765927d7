import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { Browser } from '../../packages/auth-server/dist/test/support/relying-party.js';
import { eventually } from '../../packages/testing/dist/src/servers.js';
import { freePorts, occupy, spawnPlatform, startPlatform, temporaryDataDir } from './platform.mjs';

const run = promisify(execFile);
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** All loans of the World Bank, and no other, are in dollars. */
const inDollars = ({ totals }) => totals.find(({ currency }) => currency === 'USD');
const BOOK = { count: 9_289, principalOutstanding: '283040726064.12' };

describe('npm start', function () {
  this.timeout(1_200_000);
  let dataDir;
  let port;
  let platform;
  before(async () => {
    dataDir = temporaryDataDir();
    port = await freePorts();
    platform = await startPlatform({ dataDir, port });
  });
  after(() => platform?.stop());

  const tokenOf = async ({ clientId, clientSecret }) => {
    const response = await fetch(`${platform.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    return (await response.json()).access_token;
  };
  const signIn = ({ email, password }) =>
    fetch(`${platform.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'gzip, deflate, br' },
      body: JSON.stringify({ email, password }),
    });
  const balances = async (token, query = '') => {
    const response = await fetch(`${platform.baseUrl}/api/v1/cls/balances?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  const expectStoppedBy = async (signal) => {
    const services = ['auth-server', 'resource-api', 'explorer'].map(platform.pidOf);
    platform.signal(signal);
    await platform.exited;
    await eventually(async () => expect(services.filter(isAlive)).to.deep.equal([]), 600_000);
  };

  it('prints two lines that, pasted into a shell, answer with balances', async () => {
    const lines = platform
      .output()
      .split('\n')
      .filter((line) => /^(TOKEN=|curl )/.test(line));
    const { stdout } = await run('bash', ['-c', lines.join('\n')]);
    const { data } = JSON.parse(stdout);
    expect(data).to.have.length(2);
    for (const { global } of data) expect(global.principal.outstanding).to.match(/^\d{9,}\.\d\d$/);
  });

  it('names an address that leads to the balances, and a person to sign in there with', async () => {
    const line = /In a browser: (\S+), as (\S+) with the password (\S+)$/m;
    const [, address, email, password] = line.exec(platform.output()) ?? [];
    expect(address).to.equal(`${platform.baseUrl}/`);
    const { url } = await fetch(address, { headers: { accept: 'text/html' } });
    expect(url).to.match(new RegExp(`^${platform.baseUrl}/interaction/`));
    const signedIn = await fetch(`${platform.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(signedIn.status).to.equal(200);
  });

  it('writes the demo callers to demo.json, readable by its owner alone', () => {
    const demo = platform.demo();
    expect(demo.baseUrl).to.equal(platform.baseUrl);
    const granted = demo.serviceAccounts.map(({ customer, permissions }) => [
      customer,
      ...permissions,
    ]);
    expect(granted).to.deep.equal([
      ['platform', 'external-api.fullcontrol'],
      ['india', 'cls-deal.view'],
      ['agency', 'cls-deal.view'],
    ]);
    const people = demo.accounts.map(({ email, totpSecret }) => [email, totpSecret !== undefined]);
    expect(people).to.deep.equal([
      ['asha@india.example', true],
      ['ben@agency.example', false],
      ['lena@kestrel.example', false],
      ['tom@meridian.example', false],
      ['olga@platform.example', false],
    ]);
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).to.equal(0o600);
  });

  it('serves the World Bank’s book to the cent to the caller with full control', async () => {
    const token = await tokenOf(platform.demo().serviceAccounts[0]);
    const { body } = await balances(token, 'includeZero=true&limit=1');
    expect(inDollars(body)).to.include(BOOK);
  });

  it('serves the documentation, to which the type of a problem leads', async () => {
    expect(platform.output()).to.include(`Documentation for callers: ${platform.baseUrl}/docs\n`);
    const refused = await (await fetch(`${platform.baseUrl}/api/v1/cls/balances`)).json();
    expect(refused.type).to.equal(`${platform.baseUrl}/docs/errors/missing_token`);
    const explained = await fetch(refused.type);
    expect(explained.status).to.equal(200);
    expect(await explained.text()).to.include('<h1>missing_token</h1>');
  });

  it('shows a borrower its own loans and nothing else', async () => {
    const token = await tokenOf(platform.demo().serviceAccounts[1]);
    const { body } = await balances(token, 'includeZero=true&limit=1000');
    expect(body.data).to.have.length(420);
    expect(body.totals[0]).to.include({ count: 420, obligation: '24398370050.10' });
  });

  it('shows a lender the syndicated deal with its share, and what became known late', async () => {
    const token = await (await signIn(platform.demo().accounts[2])).text();
    const { data } = (await balances(token)).body;
    expect(data.map(({ facility }) => facility.name)).to.deep.equal([
      ...['Revolving Credit Facility', 'Term Loan A', 'Term Loan B'],
    ]);
    const [revolver, loan] = data;
    expect(loan.global.principal.outstanding).to.equal('145000000.00');
    expect(loan.share.principal.outstanding).to.match(/^1\d{7}\.\d\d$/);
    expect(loan.provenance.restated).to.equal(true);
    const knownAt = revolver.provenance.lastPostedAt;
    const before = await balances(token, `asOf=2025-03-31&knownAt=${knownAt}`);
    expect(before.body.data[1].global.principal.outstanding).to.equal('155000000.00');
  });

  it('gives a person the bare token for e-mail and password', async () => {
    const response = await signIn(platform.demo().accounts[1]);
    expect(response.headers.get('content-type')).to.match(/^text\/javascript/);
    expect(response.headers.get('vary')).to.include('Accept');
    expect((await balances(await response.text(), 'limit=1')).status).to.equal(200);
  });

  it('serves openid-client unmodified, from discovery to balances', async () => {
    const { clientId, clientSecret } = platform.demo().serviceAccounts[1];
    const options = { execute: [client.allowInsecureRequests] };
    const issuer = new URL(platform.baseUrl);
    const config = await client.discovery(issuer, clientId, clientSecret, undefined, options);
    const { access_token: token } = await client.clientCredentialsGrant(config);
    const url = new URL(`${platform.baseUrl}/api/latest/cls/balances/principal?limit=3`);
    const response = await client.fetchProtectedResource(config, token, url, 'GET');
    expect((await response.json()).data).to.have.length(3);
  });

  it('signs people in into the example of the documentation, which reads their balances', async () => {
    const appPort = await freePorts();
    const home = `http://localhost:${appPort}/`;
    const env = { ...process.env, CLS_DATA_DIR: dataDir, ISSUER: platform.baseUrl };
    const tool = join(import.meta.dirname, '../../packages/auth-server/bin/cls-auth.mjs');
    const words = ['applications', 'create', '--name', 'Portal', '--json'];
    const uri = ['--redirect-uri', `${home}callback`];
    const made = await run(process.execPath, [tool, ...words, ...uri], { env });
    const example = join(import.meta.dirname, '../../docs/start/examples/portal.mjs');
    const { clientId } = JSON.parse(made.stdout);
    const portal = spawn(process.execPath, [example], {
      env: { ...env, CLIENT_ID: clientId, PORTAL_PORT: `${appPort}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(portal.stdout, 'data');
      const begun = await fetch(home, { redirect: 'manual' });
      const browser = new Browser();
      const page = await browser.follow(begun.headers.get('location'));
      const { email, password } = platform.demo().accounts[1];
      // Any program on the person's machine could listen at a loopback address: the person is asked.
      const consent = await browser.submit(page, { email, password });
      const { url } = await browser.submit(consent, { decision: 'allow' });
      const elsewhere = await fetch(url);
      expect(elsewhere.status, 'a browser that began no sign-in').to.equal(400);
      const [kept] = begun.headers.getSetCookie()[0].split(';');
      const headers = { cookie: kept };
      const { person, balances } = await (await fetch(url, { headers })).json();
      expect(person.email).to.equal(email);
      expect(balances.data).to.have.length(1);
      expect((await fetch(url, { headers })).status, 'a code is good once').to.equal(400);
    } finally {
      portal.kill();
    }
  });

  it('leads a browser from the base URL through the sign-in to balances', async () => {
    const headers = { accept: 'text/html' };
    const root = await fetch(platform.baseUrl, { headers, redirect: 'manual' });
    const { explorer, accounts } = platform.demo();
    expect(root.headers.get('location')).to.equal(`${explorer.url}/`);
    const begun = await fetch(`${explorer.url}/deals`, { redirect: 'manual' });
    const browser = new Browser();
    const page = await browser.follow(begun.headers.get('location'));
    const { email, password } = accounts.find(({ totpSecret }) => totpSecret === undefined);
    const { url } = await browser.submit(page, { email, password });
    const cookies = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
    const back = await fetch(url, { headers: { cookie: cookies.join('; ') }, redirect: 'manual' });
    cookies.push(...back.headers.getSetCookie().map((line) => line.split(';')[0]));
    const deals = await fetch(`${explorer.url}/deals`, { headers: { cookie: cookies.join('; ') } });
    expect(await deals.text()).to.include('IBRD');
  });

  it('serves oauth4webapi unmodified, from discovery to balances', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(platform.baseUrl);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const { clientId, clientSecret } = platform.demo().serviceAccounts[1];
    const caller = { client_id: clientId };
    const auth = oauth.ClientSecretPost(clientSecret);
    const asked = await oauth.clientCredentialsGrantRequest(as, caller, auth, {}, insecure);
    const { access_token: token } = await oauth.processClientCredentialsResponse(as, caller, asked);
    const url = new URL(`${platform.baseUrl}/api/v1/cls/balances?limit=3`);
    const response = await oauth.protectedResourceRequest(
      token,
      'GET',
      url,
      undefined,
      null,
      insecure,
    );
    expect((await response.json()).data).to.have.length(3);
  });

  it('stops everything cleanly on Ctrl-C, and a second start keeps the data', async () => {
    const before = platform.demo();
    expect(await platform.stop()).to.equal(0);
    platform = await startPlatform({ dataDir, port, throughNpm: true });
    expect(platform.demo()).to.deep.equal(before);
    const token = await tokenOf(platform.demo().serviceAccounts[0]);
    const { body } = await balances(token, 'includeZero=true&limit=1');
    expect(inDollars(body)).to.include(BOOK);
  });

  it('refuses a second start on the same data, naming the process that holds it', async () => {
    const second = spawnPlatform({ dataDir, port: await freePorts() });
    expect(await second.exited).to.equal(1);
    expect(second.output()).to.match(/is in use by process \d+/);
  });

  it('lets the operator’s tools work while it runs, at once for every caller', async () => {
    const [, , agent] = platform.demo().serviceAccounts;
    const env = { ...process.env, CLS_DATA_DIR: dataDir };
    const { stdout } = await run(
      'npx',
      ['cls-auth', 'secrets', 'replace', agent.clientId, '--json'],
      { env },
    );
    const { clientSecret } = JSON.parse(stdout);
    expect(await tokenOf(agent)).to.equal(undefined);
    expect(await tokenOf({ ...agent, clientSecret })).to.be.a('string');
  });

  it('ends every service when npm gets SIGTERM, and starts again', async () => {
    await expectStoppedBy('SIGTERM');
    platform = await startPlatform({ dataDir, port });
  });

  it('starts a service again that was killed, and serves on', async () => {
    const token = await tokenOf(platform.demo().serviceAccounts[0]);
    process.kill(platform.pidOf('resource-api'), 'SIGKILL');
    await platform.printed('starting it again');
    let status;
    for (let tries = 0; tries < 6_000 && status !== 200; tries += 1) {
      await sleep(100);
      status = (await balances(token, 'limit=1')).status;
    }
    expect(status).to.equal(200);
  });

  it('answers tokens that it can verify while auth-server is stopped', async () => {
    const token = await tokenOf(platform.demo().serviceAccounts[0]);
    process.kill(platform.pidOf('auth-server'), 'SIGTERM');
    await platform.printed('auth-server was stopped');
    expect((await balances(token, 'limit=1')).status).to.equal(200);
    const refused = await fetch(`${platform.baseUrl}/oauth/token`, { method: 'POST' });
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('2');
  });

  it('ends the services that still run when it gets SIGHUP', () => expectStoppedBy('SIGHUP'));
});

describe('npm start, refused', () => {
  it('names a port that is in use', async () => {
    const port = await freePorts();
    const occupant = await occupy(port + 1);
    const platform = spawnPlatform({ dataDir: temporaryDataDir(), port });
    expect(await platform.exited).to.equal(1);
    expect(platform.output()).to.include(`Port ${port + 1} is already in use`);
    occupant.close();
  });

  it('names a data directory that cannot be written', async () => {
    const platform = spawnPlatform({ dataDir: '/dev/null/data', port: await freePorts() });
    expect(await platform.exited).to.equal(1);
    expect(platform.output()).to.include('/dev/null/data').and.include('CLS_DATA_DIR');
  });

  it('says what PORT must be', async () => {
    const platform = spawnPlatform({ dataDir: temporaryDataDir(), port: 'eighty' });
    expect(await platform.exited).to.equal(1);
    expect(platform.output()).to.include('PORT: expected a whole number');
  });

  it('does not run in production', async () => {
    const env = { NODE_ENV: 'production' };
    const platform = spawnPlatform({ dataDir: temporaryDataDir(), port: 8080, env });
    expect(await platform.exited).to.equal(1);
    expect(platform.output()).to.include('docs/guides/deployment.md');
  });
});
