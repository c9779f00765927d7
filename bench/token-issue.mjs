// Tokens by client credentials, side by side with a bare server that only signs (bare-signer.mjs).
// With PostgreSQL and Redis where they are installed. Aims: 0.75 of the bare server at 16 at once,
// and at 64 at once a p99 below four times the median. `node bench/token-issue.mjs [rounds]`
//
// Both take turns, because other work on the machine moves the figures of a single round: read the
// medians. On a machine that is busy with other work, read the ratio by processor time: all that a
// token costs (service, databases and load) in the same of the bare server, which is what the ratio of
// tokens a second comes to where nothing else runs.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { eventually, freePort, temporaryDirectory } from '../packages/testing/dist/src/servers.js';
import { startAuthServer } from './auth-server.mjs';
import { profileByGroup } from './cpu-profile.mjs';
import { load } from './load.mjs';
import { familyTime, processTime } from './process-time.mjs';

const root = resolve(import.meta.dirname, '..');
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const body = 'grant_type=client_credentials';
const rounds = Number(process.argv[2] ?? 5);

const bare = await bareSigner();
const ours = await authServer();
console.log(`Node ${process.versions.node}; stores: ${ours.stores}; ${rounds} rounds`);
for (const connections of [16, 64]) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? [bare, ours] : [ours, bare];
    const runs = new Map();
    for (const server of [first, second]) runs.set(server, await measured(server, connections));
    results.push({ bare: runs.get(bare), ours: runs.get(ours) });
  }
  report(connections, results);
}
await ours.stop();
await printProfile();
process.exit(0);

async function measured({ url, headers, pid }, connections) {
  const before = processTime(pid);
  const allBefore = before && familyTime();
  const run = await load({ url, method: 'POST', headers, body, connections, seconds: 3 });
  const after = processTime(pid);
  const perToken = (part) => ((after[part] - before[part]) * 1000) / run.answered;
  return {
    ...run,
    tail: run.p99Ms / run.p50Ms,
    ...(before === undefined
      ? {}
      : {
          mainUs: perToken('main'),
          othersUs: perToken('others'),
          allUs: ((familyTime() - allBefore) * 1000) / run.answered,
        }),
  };
}

function report(connections, results) {
  const column = (server, name) => middle(results.map((each) => each[server][name]));
  const rows = ['bare', 'ours'].map((server) => ({
    server: server === 'bare' ? 'only signs' : 'auth-server',
    'tokens/s': column(server, 'perSecond'),
    'p50 ms': column(server, 'p50Ms'),
    'p99 ms': column(server, 'p99Ms'),
    'p99/p50': column(server, 'tail'),
    'main thread µs a token': column(server, 'mainUs'),
    'other threads µs': column(server, 'othersUs'),
    'with stores and load µs': column(server, 'allUs'),
  }));
  const ratios = results.map((each) => each.ours.perSecond / each.bare.perSecond);
  const byTime = rounded(column('bare', 'allUs') / column('ours', 'allUs'));
  const range = `${rounded(Math.min(...ratios))}–${rounded(Math.max(...ratios))}`;
  console.log(
    `\n${connections} at once: ratio ${middle(ratios)} (${range}), by processor time ${byTime}`,
  );
  console.table(rows);
}

function middle(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return rounded(sorted[Math.floor(sorted.length / 2)]);
}

function rounded(value) {
  return Number(value.toPrecision(3));
}

async function bareSigner() {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, 'bench/bare-signer.mjs'), `${port}`], {
    stdio: 'ignore',
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/`;
  await eventually(() => fetch(url, { method: 'POST' }));
  return { url, headers: form, pid: child.pid };
}

async function authServer(nodeOptions) {
  const unlimited = { TOKENS_PER_MINUTE: '0', CUSTOMER_TOKENS_PER_MINUTE: '0' };
  const { env, url, stores, pid, stop } = await startAuthServer(unlimited, nodeOptions);
  await tool(env, 'customers', 'create', 'bench', '--name', 'Bench');
  const { clientId, clientSecret } = await tool(
    env,
    ...['service-accounts', 'create', '--name', 'bench'],
    ...['--customer', 'bench', '--permission', 'cls-deal.view'],
  );
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  // Through the whole chain once, as any service that serves more than tokens does.
  await fetch(`${url}/.well-known/openid-configuration`);
  return {
    url: `${url}/oauth/token`,
    headers: { ...form, authorization: `Basic ${credentials}` },
    stores,
    pid,
    stop,
  };
}

/** Of a service of its own: a profile costs time. */
async function printProfile() {
  const directory = temporaryDirectory('cls-profile-');
  const profiled = await authServer(['--cpu-prof', `--cpu-prof-dir=${directory}`]);
  await load({ ...profiled, method: 'POST', body, connections: 16, seconds: 6 });
  await profiled.stop();
  console.log('\nmain thread of auth-server, its start included');
  console.table(
    profileByGroup(directory).map(({ group, share }) => ({
      group,
      '%': Number((share * 100).toFixed(1)),
    })),
  );
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
