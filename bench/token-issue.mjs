// Tokens by client credentials, against a bare server that only signs the same JWT with jose.
// With PostgreSQL and Redis where they are installed. Aim: 0.75 of the bare server.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { eventually, freePort } from '../packages/testing/dist/src/servers.js';
import { startAuthServer } from './auth-server.mjs';
import { load } from './load.mjs';

const root = resolve(import.meta.dirname, '..');
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const body = 'grant_type=client_credentials';

const bare = await bareSigner();
const ours = await authServer();
const results = [];
for (let round = 0; round < 3; round += 1) {
  const bareRun = await load({ url: bare.url, method: 'POST', headers: form, body });
  const ourRun = await load({
    url: ours.url,
    method: 'POST',
    headers: { ...form, ...ours.headers },
    body,
  });
  results.push({
    'bare signer/s': bareRun.perSecond,
    'auth-server/s': ourRun.perSecond,
    'p99 ms': ourRun.p99Ms,
    ratio: Number((ourRun.perSecond / bareRun.perSecond).toFixed(2)),
  });
}
console.log(`stores: ${ours.stores}`);
console.table(results);
process.exit(0);

async function bareSigner() {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [import.meta.filename.replace('token-issue', 'bare-signer'), `${port}`],
    { stdio: 'ignore' },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/`;
  await eventually(() => fetch(url, { method: 'POST' }));
  return { url };
}

async function authServer() {
  const { env, url, stores } = await startAuthServer();
  await tool(env, 'customers', 'create', 'bench', '--name', 'Bench');
  const { clientId, clientSecret } = await tool(
    env,
    'service-accounts',
    'create',
    '--name',
    'bench',
    '--customer',
    'bench',
    '--permission',
    'cls-deal.view',
  );
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    url: `${url}/oauth/token`,
    headers: { authorization: `Basic ${credentials}` },
    stores,
  };
}

function tool(env, ...words) {
  return new Promise((done, failed) => {
    const bin = join(root, 'packages/auth-server/bin/cls-auth.mjs');
    const child = spawn(process.execPath, [bin, ...words, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.once('close', (code) =>
      code === 0 ? done(JSON.parse(out)) : failed(new Error(words.join(' '))),
    );
  });
}
