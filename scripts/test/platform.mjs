// `npm start` as a child process, for tests.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** The oldest Node that is supported, where `.ci/run` brought it, and this one elsewhere. */
const NODE = process.env.CLS_OLDEST_NODE ?? process.execPath;
const left = new Set();
process.on('exit', () => {
  for (const directory of left) rmSync(directory, { recursive: true, force: true });
});

export function temporaryDataDir() {
  const directory = mkdtempSync(join(tmpdir(), 'cls-platform-'));
  left.add(directory);
  return directory;
}

/** Starts it and waits for its greeting; `output()` is all that it wrote so far. */
export async function startPlatform(options) {
  const platform = spawnPlatform(options);
  await Promise.race([
    platform.printed('Ctrl-C stops everything'),
    platform.exited.then(() => {
      throw new Error(`npm start ended:\n${platform.output()}`);
    }),
  ]);
  return platform;
}

/** @param throughNpm starts npm and its shell too, as a person or a process manager does. */
export function spawnPlatform({ dataDir, port, env = {}, throughNpm = false }) {
  const command = throughNpm ? ['npm', 'start'] : [NODE, join(root, 'scripts', 'start.mjs')];
  const child = spawn(command[0], command.slice(1), {
    cwd: root,
    env: {
      ...{ ...process.env, NODE_ENV: '', PATH: `${dirname(NODE)}${delimiter}${process.env.PATH}` },
      ...{ CLS_DATA_DIR: dataDir, PORT: `${port}`, ...env },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const watchers = new Set();
  const take = (chunk) => {
    output += chunk;
    for (const watch of watchers) watch();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exited = new Promise((done) => child.once('close', (code) => done(code)));
  return {
    baseUrl: `http://localhost:${port}`,
    output: () => output,
    exited,
    printed: (text) =>
      new Promise((done) => {
        const watch = () => output.includes(text) && done();
        watchers.add(watch);
        watch();
      }),
    demo: () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')),
    pidOf: (service) => Number(new RegExp(`${service} (\\d+)`).exec(output)?.[1]),
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGINT');
      return exited;
    },
  };
}

/**
 * The first of four free ports in a row, below those that Linux gives to clients: a first start takes a while to
 * use all.
 */
export async function freePorts() {
  for (let port = 20_000 + (process.pid % 12_000); ; port += 4) {
    const free = await Promise.all([port, port + 1, port + 2, port + 3].map(isFree));
    if (free.every(Boolean)) return port;
  }
}

export function occupy(port) {
  return new Promise((done) => {
    const server = createServer().listen(port, '127.0.0.1', () => done(server));
  });
}

function isFree(port) {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
