// The test files of the repository.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** Seconds that each file took when the times were last recorded (`npm test -- --record`), by place. */
const SECONDS = join(import.meta.dirname, 'seconds.json');
/** Of a file that was not there then. */
const UNKNOWN_S = 20;
/** What a short run leaves out takes longer where there is Node alone. */
const SHORT_S = 10;

/**
 * All of them, as they are run: those that take long first, so that the last end together.
 *
 * @param options `place`: `servers`, or `node` where PostgreSQL is missing; `isShort` leaves out those that take
 *   long where there is Node alone.
 */
export function testFiles({ place = 'servers', isShort = false } = {}) {
  // What the sources name: a compiled test may be of a source that is gone.
  const compiled = readdirSync(join(root, 'packages')).flatMap((name) =>
    filesBelow(join('packages', name, 'test'))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => compiledName(join('packages', name, 'test', file))),
  );
  const plain = filesBelow(join('scripts', 'test'))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => join('scripts', 'test', file));
  const recorded = recordedSeconds();
  const of = (file, where = place) => recorded[where]?.[sourceName(file)];
  return [...compiled, ...plain]
    .filter((file) => !isShort || (of(file, 'node') ?? 0) <= SHORT_S)
    .sort((a, b) => (of(b) ?? UNKNOWN_S) - (of(a) ?? UNKNOWN_S) || (a < b ? -1 : 1));
}

function recordedSeconds() {
  return existsSync(SECONDS) ? JSON.parse(readFileSync(SECONDS, 'utf8')) : {};
}

/** Records what each file took in a run of all, in a place. */
export function recordSeconds(seconds, place) {
  const rows = [...seconds].map(([file, took]) => [sourceName(file), Math.ceil(took)]);
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  const all = { ...recordedSeconds(), [place]: Object.fromEntries(rows) };
  writeFileSync(SECONDS, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** A test's source, of what is run for it. */
export function sourceName(file) {
  return file
    .replaceAll('\\', '/')
    .replace(/^(packages\/[^/]+)\/dist\/test\/(.*)\.js$/, '$1/test/$2.ts');
}

/** What is run for a test's source: `packages/<name>/dist/test/….js`. */
export function compiledName(file) {
  const path = relative(root, resolve(file));
  return path.replace(/^(packages\/[^/]+)\/test\/(.*)\.ts$/, '$1/dist/test/$2.js');
}

function filesBelow(folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
