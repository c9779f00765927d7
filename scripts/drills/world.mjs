// Two of each service with PostgreSQL, Redis and nginx in front, each a process of its own, and
// the callers and people that use them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  endWithTests,
  eventually,
  freePort,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { runHosted, stdoutOf } from '../../packages/testing/dist/src/tool-host.js';
import { dealIdOf, dealsFile } from './book.mjs';
import { sendThrough } from './http.mjs';
import { startNginxOfBoth } from './nginx.mjs';
import { previousBuild } from './previous-build.mjs';
import { startProxy } from './proxy.mjs';
import { mountDisk, startPostgres, startRedisOf } from './stores.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const KEY = Buffer.alloc(32, 7).toString('base64url');
const CALLBACK = 'https://portal.example/callback';
/** How long a service may take to start on a machine that is busy. */
const START_MS = 120_000;
/** The same for a command of a tool. */
const TOOL_MS = 300_000;
export const DEALS = 40;

/** The replicas, by the ports that deploy/nginx.conf gives them. */
const REPLICAS = {
  'auth-1': { service: 'auth-server', prefix: 'AUTH', named: '8081' },
  'auth-2': { service: 'auth-server', prefix: 'AUTH', named: '8181' },
  'api-1': { service: 'resource-api', prefix: 'API', named: '8082' },
  'api-2': { service: 'resource-api', prefix: 'API', named: '8182' },
  'explorer-1': { service: 'explorer', prefix: 'EXPLORER', named: '8083' },
  'explorer-2': { service: 'explorer', prefix: 'EXPLORER', named: '8183' },
};
export const SERVICES = Object.keys(REPLICAS);
/** Those that have a database. */
export const MIGRATED = SERVICES.filter((name) => REPLICAS[name].service !== 'explorer');

/** @param needs which PostgreSQL and Redis: see stores.mjs; `start: false` starts no service;
 *   `migrates: 'at start'`: each service, with the owner's URL beside its own; else `migrate` was run
 *   before, and a service knows its service role alone; `build: 'previous'`: services and tools of the last release;
 *   `hosted: true`: commands of tools in processes that have their code loaded, without a time limit, for tests;
 *   `env`: settings of all services; `disks`: audit spool and logs on disks that can be filled */
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
  const nginx = startNginxOfBoth(folder, ports);
  const { issuer, explorer, certificate } = nginx;
  const asOwners = {
    AUTH_DATABASE_URL: postgres.ownerUrl('cls_auth'),
    API_DATABASE_URL: postgres.ownerUrl('cls_api'),
  };
  const migratesAtStart = {
    AUTH_MIGRATIONS_DATABASE_URL: asOwners.AUTH_DATABASE_URL,
    API_MIGRATIONS_DATABASE_URL: asOwners.API_DATABASE_URL,
  };
  const environment = {
    ...{ PATH: process.env.PATH, NODE_ENV: 'production', LOG_LEVEL: 'info' },
    ...{ ISSUER: issuer, EXPLORER_URL: explorer, NODE_EXTRA_CA_CERTS: certificate },
    ...{ AUTH_DATABASE_URL: postgres.url('cls_auth'), API_DATABASE_URL: postgres.url('cls_api') },
    ...(needs.migrates === 'at start' ? migratesAtStart : { RUN_MIGRATIONS: '0' }),
    // So short that explorers renew a person's tokens every 15 seconds, in each drill.
    ACCOUNT_TOKEN_TTL: '75',
    JWKS_URL: `http://127.0.0.1:${keySet.port}/.well-known/jwks.json`,
    ...{ JWKS_REFRESH_S: '2', DRAIN_DELAY_MS: '500', TRUSTED_PROXY_HOPS: '1' },
    ...{ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '0', CALLER_STATEMENT_S_PER_MINUTE: '0' },
    ...{ TOKENS_PER_MINUTE: '0', CUSTOMER_TOKENS_PER_MINUTE: '0' },
    ...{ KEY_ENCRYPTION_KEY: KEY, COOKIE_KEY: KEY, CURSOR_KEY: KEY, WEBHOOK_SECRETS_KEY: KEY },
    EXPLORER_SESSION_KEY: KEY,
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

  const logOf = (name) => join(disks?.log.folder ?? folder, `${name}.log`);

  /** `ends`: it is expected to end by itself. */
  const start = async (name, { env = {}, ready = true, ends: mayEnd = false } = {}) => {
    const { service, prefix, named } = REPLICAS[name];
    const data = join(folder, name);
    mkdirSync(data, { recursive: true });
    const main = join(build, 'packages', service, 'dist', 'src', 'main.js');
    const address = { [`${prefix}_HOST`]: '127.0.0.1', [`${prefix}_PORT`]: `${ports[named]}` };
    const log = openSync(logOf(name), 'a');
    const child = endWithTests(
      spawn(process.execPath, [main], {
        env: { ...environment, CLS_DATA_DIR: data, ...address, ...env },
        stdio: ['ignore', log, log],
      }),
    );
    closeSync(log);
    const replica = { child, wanted: !mayEnd };
    child.once('exit', (code, signal) => {
      if (replica.wanted) ends.push(`${name} ended by itself (${signal ?? code})`);
    });
    running.set(name, replica);
    if (ready) await untilReady(name);
    return child;
  };
  const isReady = async (name) => {
    const url = `http://127.0.0.1:${ports[REPLICAS[name].named]}/readyz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch((error) => {
      throw new Error(`${name}: ${error.cause?.code ?? error.message}`);
    });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  };
  const untilReady = (name) =>
    eventually(() => isReady(name), START_MS).catch(({ message }) => {
      const last = readFileSync(logOf(name), 'utf8').trimEnd().split('\n').at(-1);
      throw new Error(`${message}; the last line of its log: ${last}`);
    });
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

  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const world = {
    ...{ folder, ports, postgres, redis, keySet, environment, ends, issuer, explorer },
    ...{ start, stop, untilReady, disks },
    /** Through nginx, over TLS that is verified. */
    send: sendThrough({ agent, ca: readFileSync(certificate), base: issuer }),
    async restart(name, options) {
      await stop(name);
      await start(name, options);
    },
    /** A rolling restart: each replica, once the one before it is ready. */
    async restartEach() {
      for (const name of SERVICES) await world.restart(name);
    },
    /** Starts those of `names` that do not run. */
    async startMissing(names = SERVICES) {
      await Promise.all(names.filter((name) => !running.has(name)).map((name) => start(name)));
    },
    /** Removes what a service keeps beside its database. */
    forget: (name) => rmSync(join(folder, name), { recursive: true, force: true }),
    childOf: (name) => running.get(name)?.child,
    tool: (name, words, env, by = build) =>
      runTool({ ...environment, ...env }, folder, name, words, by, needs.hosted),
    /** As the owners of the schemas, which no service is. */
    migrate: (by) =>
      Promise.all(
        ['cls-auth', 'cls-api'].map((tool) => world.tool(tool, ['migrate'], asOwners, by)),
      ),
    /** Also makes the explorers' application, without which they do not start. */
    async createCallers() {
      world.callers = await createCallers(world);
    },
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
  await world.migrate();
  await world.createCallers();
  await world.startMissing();
  return world;
}

/** Runs `cls-auth` or `cls-api`. @returns what it printed, once it ended with 0 */
async function runTool(env, folder, name, words, build, hosted) {
  const service = name === 'cls-auth' ? 'auth-server' : 'resource-api';
  const data = join(folder, name === 'cls-auth' ? 'auth-1' : 'api-1');
  const run = hosted ? runInHost : runAsProcess;
  const ran = await run(
    ...[join(build, 'packages', service), name],
    ...[[...words, '--json'], { ...env, CLS_DATA_DIR: data }],
  );
  const text = stdoutOf(ran, [name, ...words.slice(0, 2)].join(' '));
  return text === '' ? undefined : JSON.parse(text);
}

function runInHost(folder, _, words, env) {
  return runHosted(pathToFileURL(join(folder, 'dist', 'src', 'cli', 'run.js')), words, env);
}

async function runAsProcess(folder, name, words, env) {
  const child = endWithTests(
    spawn(process.execPath, [join(folder, 'bin', `${name}.mjs`), ...words], {
      ...{ env, stdio: ['ignore', 'pipe', 'pipe'] },
    }),
  );
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    return parts;
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), TOOL_MS);
  const [code, signal] = await once(child, 'close');
  clearTimeout(tooLong);
  return { code: signal ?? code, stdout: out.join(''), stderr: err.join('') };
}

/** Who uses the world: programs, people of two customers, and their applications. */
async function createCallers({ tool, folder, environment, explorer }) {
  const auth = (...words) => tool('cls-auth', words);
  const api = (...words) => tool('cls-api', words);
  await auth('customers', 'create', 'drill', '--name', 'Drill');
  await auth('customers', 'create', 'borrower', '--name', 'Borrower');
  const grant = (customer, permission) => ['--customer', customer, '--permission', permission];
  const serviceAccount = (name, permission) =>
    auth('service-accounts', 'create', '--name', name, ...grant('drill', permission));
  const person = async (name, customer) => {
    const email = `${name}@drill.example`;
    const words = [...grant(customer, 'cls-deal.view'), '--generate-password'];
    return { ...(await auth('accounts', 'create', email, ...words)), email };
  };
  const reader = await serviceAccount('Reader', 'external-api.fullcontrol');
  const manager = await serviceAccount('Manager', 'cls-accounts.manage');
  const agent = await person('person', 'drill');
  const borrower = await person('borrower', 'borrower');
  const application = (name, ...words) => auth('applications', 'create', '--name', name, ...words);
  const portal = await application('Portal', '--redirect-uri', CALLBACK);
  const pages = await application('Balances', ...explorerApplication(explorer));
  const file = join(folder, 'book.ndjson');
  writeFileSync(file, dealsFile(1, DEALS).text);
  await api('journals', 'import', file, '--apply');
  const deal = dealIdOf(1);
  for (const words of [
    ['--customer', 'drill', '--role', 'agent', '--all'],
    ['--customer', 'borrower', '--role', 'borrower', '--deal', deal],
  ]) {
    await api('entitlements', 'grant', ...words);
  }
  environment.EXPLORER_CLIENT_ID = pages.clientId;
  environment.EXPLORER_CLIENT_SECRET = pages.clientSecret;
  return {
    ...{ reader, manager, deal },
    person: agent,
    /** Who reads pages. */
    people: [agent, borrower],
    portal: { clientId: portal.clientId, callback: CALLBACK },
  };
}

/** As docs/guides/deployment.md registers it. */
function explorerApplication(explorer) {
  return [
    ...['--confidential', '--redirect-uri', `${explorer}/callback`],
    ...['--post-logout-redirect-uri', `${explorer}/signed-out`],
    ...['--backchannel-logout-uri', `${explorer}/backchannel-logout`],
    ...['--scope', 'openid', 'email', 'profile', 'cls-deal.view', 'external-api.fullcontrol'],
  ];
}
