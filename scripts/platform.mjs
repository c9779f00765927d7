// Starts auth-server, resource-api, the gateway and the explorer as one: what an ingress, a supervisor and an
// operator do in a deployment.
import { spawn } from 'node:child_process';
import { accessSync, constants, createWriteStream, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, root } from './bootstrap.mjs';
import { prepareDemo, readDemo } from './demo.mjs';
import { demoTokenRoutes } from './demo-token.mjs';
import { startGateway } from './gateway.mjs';
import { dataDirOf } from './own-book.mjs';
import { showProgress, standstill, watchChild } from './progress.mjs';

const STOP_TIMEOUT_MS = 15_000;
const RESTART_DELAY_MS = 1_000;

/**
 * @param book in place of the demonstration's (own-book.mjs)
 * @param onStop takes the function that stops everything.
 */
export async function startPlatform({ book, onStop }) {
  const port = readPort();
  const ownDataDir = resolve(process.env.CLS_DATA_DIR || './.cls-data');
  const dataDir = book === undefined ? ownDataDir : dataDirOf(ownDataDir, book);
  const baseUrl = `http://localhost:${port}`;
  const explorerUrl = process.env.EXPLORER_URL || `http://localhost:${port + 3}`;
  await requireFreePorts([port, port + 1, port + 2, port + 3]);
  makeDataDir(dataDir);

  const environment = {
    ...process.env,
    CLS_DATA_DIR: dataDir,
    ISSUER: process.env.ISSUER || baseUrl,
    AUTH_HOST: '127.0.0.1',
    AUTH_PORT: `${port + 1}`,
    API_HOST: '127.0.0.1',
    API_PORT: `${port + 2}`,
    EXPLORER_HOST: '127.0.0.1',
    EXPLORER_PORT: `${port + 3}`,
    EXPLORER_URL: explorerUrl,
    JWKS_URL: `http://127.0.0.1:${port + 1}/.well-known/jwks.json`,
    TRUSTED_PROXY_HOPS: '1',
    READ_LOG: process.env.READ_LOG || 'on',
  };
  const services = [];
  let stopGateway;
  let stopping = false;
  const stop = async (exitCode) => {
    stopping = true;
    await stopGateway?.();
    await Promise.all(services.map((service) => service.stop()));
    process.exit(exitCode);
  };
  onStop(() => stop(0));

  const watch = standstill();
  try {
    const start = async (names, env = {}) => {
      const starting = showProgress(`Starting ${names.join(' and ')}`);
      const started = names.map((name) =>
        supervise(name, port, dataDir, { ...environment, ...env }),
      );
      services.push(...started);
      await Promise.race([
        Promise.all(started.map((service) => service.ready())),
        watch.stoodStill,
      ]).finally(starting.end);
    };
    // A first start loads the book before resource-api runs: a store keeps the memory that a load takes.
    const known = readDemo(dataDir);
    await start(known === undefined ? ['auth-server'] : ['auth-server', 'resource-api']);
    const demo = await Promise.race([
      prepareDemo({ book, known, dataDir, baseUrl, explorerUrl, environment }),
      watch.stoodStill,
    ]);
    if (known === undefined) await start(['resource-api']);
    stopGateway = await startGateway({
      port,
      upstreamOf: (path) => upstreamOf(path, port),
      pages: port + 1,
      baseUrl: environment.ISSUER,
      // Of a book of one's own nobody gets a token by a click.
      own:
        book === undefined
          ? demoTokenRoutes({ baseUrl: environment.ISSUER, caller: demo.serviceAccounts[0] })
          : {},
    });
    // A relying party: it begins when there is an issuer to rely on.
    const { clientId, clientSecret } = demo.explorer;
    await start(['explorer'], {
      EXPLORER_CLIENT_ID: clientId,
      EXPLORER_CLIENT_SECRET: clientSecret,
    });
    watch.stop();
    greet({ baseUrl, issuer: environment.ISSUER, demo, services, dataDir, book });
  } catch (error) {
    if (stopping) return;
    say(error.message);
    await stop(1);
  }
}

/** In the order of their ports, from the one after the gateway's. */
const SERVICES = ['auth-server', 'resource-api', 'explorer'];

/** What the auth-server has: the protocol, and the pages that people see. */
const AUTH_PATHS =
  /^\/(oauth|status-lists|\.well-known|interaction|device|assets|password|invitation|upstream|account|admin|secret-scanning)(\/|$)/;

function upstreamOf(path, port) {
  if (/^\/(api|docs|\.well-known\/oauth-protected-resource)(\/|$)/.test(path)) return port + 2;
  if (path === '/' || AUTH_PATHS.test(path)) return port + 1;
  return undefined;
}

/** A port for each service’s metrics, from the one that was given on. */
function metricsOf(name) {
  const first = process.env.METRICS_PORT;
  return first ? { METRICS_PORT: `${Number(first) + SERVICES.indexOf(name)}` } : {};
}

/** On a laptop memory counts more than speed: little room for young objects, two arenas of malloc, which give back. */
const SMALL = {
  flags: ['--max-semi-space-size=2'],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '65536' },
};

/**
 * One service as a child process. It is started again when it crashes or is killed; it stays
 * down when it was asked to stop (SIGTERM), as with a supervisor's restart on failure.
 */
function supervise(name, gatewayPort, dataDir, environment) {
  const port = gatewayPort + 1 + SERVICES.indexOf(name);
  const logFile = join(dataDir, `${name}.log`);
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const main = join(root, 'packages', name, 'dist', 'src', 'main.js');
  let child;
  let stopping = false;
  let everReady = false;
  let lastError = '';

  const start = () => {
    // IPC, so that the service notices when this process dies and stops too.
    child = watchChild(
      spawn(process.execPath, [...SMALL.flags, main], {
        env: { ...SMALL.env, ...environment, ...metricsOf(name) },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      }),
    );
    child.stdout.pipe(log, { end: false });
    child.stderr.on('data', (chunk) => {
      log.write(chunk);
      lastError = `${lastError}${chunk}`.slice(-4_000);
    });
    child.once('exit', (code, signal) => {
      if (stopping || !everReady) return;
      if (code === 0) return say(`${name} was stopped; the rest keeps running.`);
      say(`${name} ended (${signal ?? `code ${code}`}); starting it again.`);
      setTimeout(() => stopping || start(), RESTART_DELAY_MS);
    });
  };
  start();

  return {
    name,
    logFile,
    get pid() {
      return child.pid;
    },
    /** Resolves when it is; rejects when it ended. However long it takes, while it lives. */
    async ready() {
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) {
          const why = lastError.trim() || `it ended with code ${child.exitCode}`;
          throw new Error(`${name} did not start: ${why}`);
        }
        if (await answers(`http://127.0.0.1:${port}/readyz`)) {
          everReady = true;
          return;
        }
        if (stopping) throw new Error(`${name} was stopped`);
        await sleep(50);
      }
    },
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function readPort() {
  const text = process.env.PORT || '8080';
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_532) return port;
  return fail('PORT: expected a whole number from 1 to 65532 (the next three ports are used too)');
}

function makeDataDir(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    fail(
      `The data directory ${dataDir} cannot be written (${error.code}); set CLS_DATA_DIR to one that this user may write.`,
    );
  }
}

async function requireFreePorts(ports) {
  for (const port of ports) {
    const error = await tryListen(port);
    if (error?.code === 'EADDRINUSE') {
      fail(
        `Port ${port} is already in use. Stop the program that uses it, or choose another: PORT=${ports[0] + 1000} npm start (it takes four ports in a row).`,
      );
    }
    if (error?.code === 'EACCES') {
      fail(`This user may not listen on port ${port}; choose one above 1023 with PORT.`);
    }
  }
}

function tryListen(port) {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', done);
    server.listen(port, '127.0.0.1', () => server.close(() => done(undefined)));
  });
}

function greet({ baseUrl, issuer, demo, services, dataDir, book }) {
  const [caller] = demo.serviceAccounts;
  const person = demo.accounts.find(({ totpSecret }) => totpSecret === undefined);
  const token = `curl -s -u ${caller.clientId}:${caller.clientSecret} -d grant_type=client_credentials ${baseUrl}/oauth/token`;
  process.stdout.write(`
CLS is running at ${baseUrl}

A token, then the two largest loans${book === undefined ? ' of Ukraine' : ''} (paste both lines):

TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -H "Authorization: Bearer $TOKEN" '${baseUrl}/api/v1/cls/balances?${book === undefined ? 'country=UA&' : ''}sort=-outstanding&limit=2'

In a browser: ${issuer}/${person === undefined ? '' : `, as ${person.email} with the password ${person.password}`}
Documentation for callers: ${issuer}/docs
Messages to people: ${join(dataDir, 'auth-server', 'outbox')}
More callers: ${join(dataDir, 'demo.json')} · logs: ${services.map(({ logFile }) => logFile).join(', ')}
Processes: ${services.map(({ name, pid }) => `${name} ${pid}`).join(', ')} · Ctrl-C stops everything.
Embedded stores: they survive a crash of a process, not of the machine.
`);
}

function say(message) {
  process.stderr.write(`${message}\n`);
}
