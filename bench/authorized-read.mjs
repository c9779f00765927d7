// A page of balances to a caller with a token, against a bare Koa app that returns the same bytes.
// Aim: 0.8 of the bare app. The page is repeated, as a poller's is, so it comes from memory.
import { fork, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import {
  exportJWK,
  SignJWT,
} from '../packages/resource-api/node_modules/jose/dist/webapi/index.js';
import {
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../packages/testing/dist/src/servers.js';
import { load } from './load.mjs';

const root = resolve(import.meta.dirname, '..');
const issuer = 'http://localhost:1';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
const jwksPort = await freePort();
createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(jwksPort);

const api = await startApi();
const headers = { authorization: `Bearer ${await token()}` };
for (const limit of [10, 100]) {
  const url = `${api}/api/v1/cls/balances?limit=${limit}`;
  const body = await (await fetch(url, { headers })).text();
  const bareUrl = await startBareKoa(body);
  const rows = [];
  for (let round = 0; round < 3; round += 1) {
    const bare = await load({ url: bareUrl });
    const ours = await load({ url, headers });
    rows.push({
      limit,
      'body kB': Math.round(body.length / 1000),
      'bare Koa/s': bare.perSecond,
      'resource-api/s': ours.perSecond,
      'p99 ms': ours.p99Ms,
      ratio: Number((ours.perSecond / bare.perSecond).toFixed(2)),
    });
  }
  console.table(rows);
}
process.exit(0);

function token() {
  const subject = `svc_${'0'.repeat(26)}`;
  return new SignJWT({
    scope: `${issuer}/auth/external-api.fullcontrol`,
    client_id: subject,
    account_type: 'service_account',
    customer: 'bench',
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(`${issuer}/api`)
    .setSubject(subject)
    .setJti('bench')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}

async function startApi() {
  const port = await freePort();
  const postgres = await postgresServer();
  const env = {
    ...process.env,
    ISSUER: issuer,
    JWKS_URL: `http://127.0.0.1:${jwksPort}/jwks.json`,
    API_PORT: `${port}`,
    CLS_DATA_DIR: join(temporaryDirectory('cls-bench-'), 'data'),
    ...(postgres ? { API_DATABASE_URL: await postgres.createDatabase() } : {}),
  };
  console.log(`store: ${postgres ? 'PostgreSQL' : 'PGlite'}`);
  const run = (...words) =>
    spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const bin = join(root, 'packages/resource-api/bin/cls-api.mjs');
  await new Promise((done) => run(bin, 'import', 'world-bank', '--apply').once('close', done));
  const server = run(join(root, 'packages/resource-api/dist/src/main.js'));
  process.once('exit', () => server.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (!(await fetch(`${url}/readyz`)).ok) throw new Error('not ready');
  });
  return url;
}

async function startBareKoa(body) {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, 'bare-koa.mjs'));
  process.once('exit', () => child.kill('SIGKILL'));
  const listening = new Promise((done) => child.once('message', done));
  child.send({ body, port });
  await listening;
  return `http://127.0.0.1:${port}/`;
}
