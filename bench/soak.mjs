// Whether anything grows that should not: `node bench/soak.mjs [minutes]`. auth-server and
// resource-api run as their own processes on PostgreSQL, under a steady load of tokens, sign-ins,
// refused sign-ins and reads. Each quarter of a minute it looks at memory, open files, connections
// and rows. It ends with 1 where the last third of the time uses more than the second, beyond noise.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY, startTestAuthServer } from '../packages/auth-server/dist/test/support/auth-server.js';
import { silentLog } from '../packages/shared/dist/src/log.js';
import { openDatabaseAsOperator } from '../packages/shared/dist/src/service/open-database.js';
import { postgres } from '../packages/testing/dist/src/engines.js';
import {
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../packages/testing/dist/src/servers.js';

const minutes = Number(process.argv[2] ?? 10);
const SAMPLE_MS = 15_000;
const ASK_EVERY_MS = 40;
/** The heap is collected when the engine thinks fit; this much is no growth. */
const NOISE = { memory: 1.15, files: 1.1, connections: 1.1 };
const root = resolve(import.meta.dirname, '..');
const ROWS = `
  SELECT relname AS table, (xpath('/row/n/text()', query_to_xml(
    format('SELECT count(*) AS n FROM %I', relname), false, true, '')))[1]::text::int AS n
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`;

const prepared = await startTestAuthServer(postgres);
const { client, person, config } = prepared;
await prepared.stop();
const data = temporaryDirectory('cls-soak-');
const server = await postgresServer();
const apiUrl = await server.createDatabase();
const [authPort, apiPort] = [await freePort(), await freePort()];
const issuer = `http://localhost:${authPort}`;
const common = { ...process.env, ISSUER: issuer, CLS_DATA_DIR: data, LOG_LEVEL: 'error' };
const services = {
  'auth-server': start('auth-server', {
    AUTH_PORT: `${authPort}`,
    AUTH_DATABASE_URL: config.database.url.expose(),
    KEY_ENCRYPTION_KEY: KEY,
    COOKIE_KEY: KEY,
  }),
  'resource-api': start('resource-api', { API_PORT: `${apiPort}`, API_DATABASE_URL: apiUrl }),
};
const tables = {
  auth: await openDatabaseAsOperator(config.database, 'soak', silentLog),
  api: await openDatabaseAsOperator(
    { kind: 'postgres', url: { expose: () => apiUrl }, poolSize: 1 },
    'soak',
    silentLog,
  ),
};
await ready(authPort);
await ready(apiPort);

const counts = {};
const until = Date.now() + minutes * 60_000;
const samples = [];
const load = ask();
while (Date.now() < until) {
  await sleep(SAMPLE_MS);
  samples.push(await sample());
}
await load;
for (const child of Object.values(services)) child.kill('SIGTERM');
await Promise.all(Object.values(services).map((child) => once(child, 'exit')));
const faults = report();
await Promise.all(Object.values(tables).map((database) => database.close()));
rmSync(data, { recursive: true, force: true });
process.exit(faults.length === 0 ? 0 : 1);

function start(name, env) {
  const main = join(root, 'packages', name, 'dist', 'src', 'main.js');
  const child = spawn(process.execPath, [main], {
    env: { ...common, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function ready(port) {
  for (;;) {
    const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(200);
  }
}

/** One question after the other, as often as `ASK_EVERY_MS` allows: of each kind in turn. */
async function ask() {
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  const json = { 'content-type': 'application/json' };
  const signIn = (body) => () =>
    fetch(`${issuer}/oauth/token`, { method: 'POST', headers: json, body: JSON.stringify(body) });
  let token = '';
  const kinds = {
    token: async () => {
      const answer = await fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${basic}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
      token = (await answer.clone().json()).access_token ?? token;
      return answer;
    },
    'sign-in': signIn({ email: person.email, password: person.password }),
    'wrong password': signIn({ email: 'nobody@cls.example', password: 'wrong' }),
    read: () =>
      fetch(
        `http://localhost:${apiPort}/api/v1/cls/balances?limit=${1 + ((counts.read ?? 0) % 90)}`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      ),
    'unknown path': () => fetch(`${issuer}/nothing-here-${counts['unknown path'] ?? 0}`),
  };
  while (Date.now() < until) {
    for (const [kind, send] of Object.entries(kinds)) {
      const answer = await send();
      await answer.arrayBuffer();
      counts[kind] = (counts[kind] ?? 0) + 1;
      counts[`${kind} ${answer.status}`] = (counts[`${kind} ${answer.status}`] ?? 0) + 1;
      await sleep(ASK_EVERY_MS);
    }
  }
}

async function sample() {
  const processes = Object.entries(services).flatMap(([name, { pid }]) => [
    [`${name} memory, MB`, memoryOf(pid)],
    [`${name} files`, readdirSync(`/proc/${pid}/fd`).length],
  ]);
  const [{ n }] = await tables.auth.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'cls-%'`,
  );
  const rows = [];
  for (const [name, database] of Object.entries(tables)) {
    for (const { table, n: count } of await database.query(ROWS))
      rows.push([`${name} ${table}`, count]);
  }
  return Object.fromEntries([...processes, ['connections', n], ...rows]);
}

function memoryOf(pid) {
  const [, kb] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kb) / 1024);
}

/** A line for what changed; a fault where the last third is above the second one. */
function report() {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  const mean = (some, name) => some.reduce((sum, one) => sum + (one[name] ?? 0), 0) / some.length;
  const found = [];
  console.log(`${minutes} minutes:`, JSON.stringify(counts));
  for (const name of Object.keys(samples.at(-1))) {
    const [first, a, b] = [samples[0][name] ?? 0, mean(middle, name), mean(last, name)];
    if (first === b && a === b) continue;
    const kind = /memory|files|connections/.exec(name)?.[0];
    // An audit event for each answer of the token endpoint is what is asked for.
    const grows =
      kind === undefined ? b > a + 1 && name !== 'auth audit_event' : b > a * NOISE[kind];
    if (grows) found.push(name);
    console.log(
      `${grows ? 'GROWS ' : ''}${name}: ${first} at first, ${a.toFixed(1)}, then ${b.toFixed(1)}`,
    );
  }
  return found;
}
