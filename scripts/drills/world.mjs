// Two of each service with PostgreSQL, Redis and nginx in front, each a process of its own, and
// the callers that use them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  endWithTests,
  eventually,
  freePort,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { dealsFile } from './book.mjs';
import { sendThrough } from './http.mjs';
import { startNginx } from './nginx.mjs';
import { previousBuild } from './previous-build.mjs';
import { startProxy } from './proxy.mjs';
import { mountDisk, startPostgres, startRedisOf } from './stores.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const KEY = Buffer.alloc(32, 7).toString('base64url');
const ISSUER = 'https://cls.example';
const CALLBACK = 'https://portal.example/callback';
/** How long a service may take to start on a machine that is busy. */
const START_MS = 120_000;
export const DEALS = 40;

/** The replicas, by the ports that deploy/nginx.conf gives them. */
const REPLICAS = {
  'auth-1': { service: 'auth-server', prefix: 'AUTH', named: '8081' },
  'auth-2': { service: 'auth-server', prefix: 'AUTH', named: '8181' },
  'api-1': { service: 'resource-api', prefix: 'API', named: '8082' },
  'api-2': { service: 'resource-api', prefix: 'API', named: '8182' },
};
export const SERVICES = Object.keys(REPLICAS);

/** @param needs which PostgreSQL and Redis: see stores.mjs; `start: false` starts no service;
 *   `build: 'previous'`: services and tools of the last release; `env`: settings of all services;
 *   `disks`: audit spool and logs on disks that can be filled */
export async function startWorld(needs = {}) {
  let build = needs.build === 'previous' ? previousBuild() : root;
  const folder = temporaryDirectory('cls-drill-');
  const postgres = await startPostgres(needs.postgres);
  const redis = await startRedisOf(needs.redis);
  const ports = {};
  for (const named of ['80', '443', ...Object.values(REPLICAS).map(({ named }) => named)]) {
    ports[named] = await freePort();
  }
  const disks = needs.disks && {
    audit: mountDisk('cls-audit-', '8m'),
    log: mountDisk('cls-log-', '8m'),
  };
  const keySet = await startProxy([ports['8081'], ports['8181']]);
  const environment = {
    ...{ PATH: process.env.PATH, NODE_ENV: 'production', ISSUER, LOG_LEVEL: 'info' },
    JWKS_URL: `http://127.0.0.1:${keySet.port}/.well-known/jwks.json`,
    ...{ JWKS_REFRESH_S: '2', DRAIN_DELAY_MS: '500', TRUSTED_PROXY_HOPS: '1' },
    ...{ AUTH_DATABASE_URL: postgres.url('auth'), API_DATABASE_URL: postgres.url('api') },
    ...{ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '0', CALLER_STATEMENT_S_PER_MINUTE: '0' },
    ...{ KEY_ENCRYPTION_KEY: KEY, COOKIE_KEY: KEY, CURSOR_KEY: KEY, WEBHOOK_SECRETS_KEY: KEY },
    ...{ MAIL_OUTBOX: join(folder, 'outbox'), MAIL_FROM: 'CLS <no-reply@cls.example>' },
    SUPPORT_URL: 'mailto:help@cls.example',
    API_READ_DATABASE_URLS: (postgres.readUrls ?? []).join(' '),
    ...needs.env,
  };
  if (disks !== undefined) environment.AUDIT_SPOOL_DIR = disks.audit.folder;
  /** By name: the process, and whether it is meant to run. */
  const running = new Map();
  /** Of processes that ended without being asked to. */
  const ends = [];

  const start = async (name, { env = {}, ready = true } = {}) => {
    const { service, prefix, named } = REPLICAS[name];
    const data = join(folder, name);
    mkdirSync(data, { recursive: true });
    const main = join(build, 'packages', service, 'dist', 'src', 'main.js');
    const address = { [`${prefix}_HOST`]: '127.0.0.1', [`${prefix}_PORT`]: `${ports[named]}` };
    const log = openSync(join(disks?.log.folder ?? folder, `${name}.log`), 'a');
    const child = endWithTests(
      spawn(process.execPath, [main], {
        env: { ...environment, CLS_DATA_DIR: data, ...address, ...env },
        stdio: ['ignore', log, log],
      }),
    );
    closeSync(log);
    const replica = { child, wanted: true };
    child.once('exit', (code, signal) => {
      if (replica.wanted) ends.push(`${name} ended by itself (${signal ?? code})`);
    });
    running.set(name, replica);
    if (ready) await untilReady(name);
    return child;
  };
  const isReady = async (name) => {
    const url = `http://127.0.0.1:${ports[REPLICAS[name].named]}/readyz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  };
  const untilReady = (name) => eventually(() => isReady(name), START_MS);
  const stop = async (name, signal = 'SIGTERM') => {
    const replica = running.get(name);
    if (replica === undefined) return;
    replica.wanted = false;
    running.delete(name);
    const { child } = replica;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };

  const nginx = startNginx(folder, ports);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const world = {
    ...{ folder, ports, postgres, redis, keySet, environment, ends, issuer: ISSUER },
    ...{ start, stop, untilReady, disks },
    /** Through nginx, over TLS that is verified. */
    send: sendThrough({ agent, ca: nginx.ca, port: ports['443'], host: 'cls.example' }),
    async restart(name, options) {
      await stop(name);
      await start(name, options);
    },
    /** Starts those of `names` that do not run. */
    async startMissing(names = SERVICES) {
      await Promise.all(names.filter((name) => !running.has(name)).map((name) => start(name)));
    },
    /** Removes what a service keeps beside its database. */
    forget: (name) => rmSync(join(folder, name), { recursive: true, force: true }),
    childOf: (name) => running.get(name)?.child,
    tool: (name, words, options) =>
      runTool({ ...environment, ...options?.env }, folder, name, words, build),
    createCallers: () => createCallers(world),
    /** What starts from now on is of this build. */
    useBuild(other) {
      build = other;
    },
    async close() {
      agent.destroy();
      for (const name of [...running.keys()]) await stop(name, 'SIGKILL');
      nginx.child.kill('SIGTERM');
      keySet.close();
      await redis.close();
      await postgres.close();
      for (const disk of Object.values(disks ?? {})) disk.unmount();
      await sleep(100);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (needs.start === false) return world;
  for (const name of SERVICES) await start(name);
  world.callers = await world.createCallers();
  return world;
}

/** Runs `cls-auth` or `cls-api`. @returns what it printed, once it ended with 0 */
async function runTool(env, folder, name, words, build) {
  const service = name === 'cls-auth' ? 'auth-server' : 'resource-api';
  const data = join(folder, name === 'cls-auth' ? 'auth-1' : 'api-1');
  const path = join(build, 'packages', service, 'bin', `${name}.mjs`);
  const child = endWithTests(
    spawn(process.execPath, [path, ...words, '--json'], {
      env: { ...env, CLS_DATA_DIR: data },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    return parts;
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code, signal] = await once(child, 'close');
  clearTimeout(tooLong);
  if (code !== 0) {
    throw new Error(`${name} ${words.slice(0, 2).join(' ')}: ${signal ?? code} ${err.join('')}`);
  }
  const text = out.join('');
  return text === '' ? undefined : JSON.parse(text);
}

async function createCallers({ tool, folder }) {
  const auth = (...words) => tool('cls-auth', words);
  const grant = (permission) => ['--customer', 'drill', '--permission', permission];
  await auth('customers', 'create', 'drill', '--name', 'Drill');
  const full = grant('external-api.fullcontrol');
  const reader = await auth('service-accounts', 'create', '--name', 'Reader', ...full);
  const manage = grant('cls-accounts.manage');
  const manager = await auth('service-accounts', 'create', '--name', 'Manager', ...manage);
  const email = 'person@drill.example';
  const words = [...grant('cls-deal.view'), '--generate-password'];
  const person = await auth('accounts', 'create', email, ...words);
  const uris = ['--redirect-uri', CALLBACK];
  const { clientId } = await auth('applications', 'create', '--name', 'Portal', ...uris);
  const file = join(folder, 'book.ndjson');
  writeFileSync(file, dealsFile(1, DEALS).text);
  await tool('cls-api', ['journals', 'import', file, '--apply']);
  return {
    reader,
    manager,
    person: { ...person, email },
    portal: { clientId, callback: CALLBACK },
  };
}
