// Brings a fresh clone to a built one: plain Node, no dependencies of its own.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { showProgress, watchChild } from './progress.mjs';

export const root = resolve(import.meta.dirname, '..');

const PNPM = 'pnpm@12.21.0';
const NODE_FLOOR = [20, 19];
/** Writes the types of the client's answers where the contract is a new one; needs what was installed. */
export const CLIENT_TYPES = join(root, 'packages', 'client', 'generate.mjs');
/** What was installed last, so that a start with nothing new runs no package manager. */
const INSTALLED = join(root, 'node_modules', '.installed-from');

/** What `npm start` runs, and the tool beside it; each names the packages that it is compiled with. */
const STARTED = ['auth-server/src', 'resource-api/src', 'explorer/src', 'book-generator'];

/** Checks Node, installs the locked dependencies where they changed, compiles, and makes the documentation. */
export async function bootstrap() {
  await install();
  await step('Making the types of the client', process.execPath, [CLIENT_TYPES]);
  await compile(packageNames().map((name) => join('packages', name)));
}

/** The same for a start: compiles what it needs alone, and leaves the check of types to `npm test`. */
export async function bootstrapServices() {
  await install();
  await compile(['--noCheck', ...STARTED.map((name) => join('packages', name))]);
}

async function compile(words) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await step('Compiling', process.execPath, [compiler, '-b', ...words]);
  await step('Making the documentation', process.execPath, [join('scripts', 'documentation.mjs')]);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])) return;
  fail(`Node.js ${NODE_FLOOR.join('.')} or newer is needed; this is ${process.version}.`);
}

async function install() {
  requireNode();
  const wanted = digestOfManifests();
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return;
  // The lock file pins each package by its digest. How old a release is, pnpm checks where it enters
  // the lock file, and again where an image is built: for each package, that takes a list of all its releases.
  const words = ['install', '--frozen-lockfile', '--config.minimumReleaseAge=0'];
  await step('Installing dependencies', 'npx', ['--yes', PNPM, ...words], {
    npm_config_yes: 'true',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  });
  writeFileSync(INSTALLED, wanted);
}

function digestOfManifests() {
  const manifests = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    ...packageNames().map((name) => join('packages', name, 'package.json')),
  ];
  const hash = createHash('sha256');
  for (const manifest of manifests) hash.update(readFileSync(join(root, manifest)));
  return hash.digest('hex');
}

function packageNames() {
  return readdirSync(join(root, 'packages')).sort();
}

/** Runs a command; what it writes is shown when it fails. */
async function step(title, command, args, extraEnv = {}) {
  const progress = showProgress(title);
  const child = watchChild(
    spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...extraEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    }),
  );
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const outcome = await new Promise((done) => {
    child.once('error', ({ message }) => done(message));
    child.once('close', (code, signal) => done(code ?? signal));
  });
  progress.end();
  if (outcome === 0) return;
  process.stderr.write(Buffer.concat(output));
  fail(`${title} failed (${outcome}).`);
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
