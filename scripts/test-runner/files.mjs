// The test files of the repository.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** Seconds that each file took when the times were last recorded: `npm test -- --record`. */
const SECONDS = join(import.meta.dirname, 'seconds.json');
/** Of a file that was not there then. */
const UNKNOWN_S = 20;
/** What `--fast` leaves out takes longer. */
const FAST_S = 15;

/**
 * All of them, as they are run: those that take long first, so that the last end together.
 *
 * @param fast leaves out those that take long.
 */
export function testFiles({ fast = false } = {}) {
  // What the sources name: a compiled test may be of a source that is gone.
  const compiled = readdirSync(join(root, 'packages')).flatMap((name) =>
    filesBelow(join('packages', name, 'test'))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => compiledName(join('packages', name, 'test', file))),
  );
  const plain = filesBelow(join('scripts', 'test'))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => join('scripts', 'test', file));
  const seconds = recordedSeconds();
  const of = (file) => seconds[sourceName(file)] ?? UNKNOWN_S;
  return [...compiled, ...plain]
    .filter((file) => !fast || of(file) <= FAST_S)
    .sort((a, b) => of(b) - of(a) || (a < b ? -1 : 1));
}

function recordedSeconds() {
  return existsSync(SECONDS) ? JSON.parse(readFileSync(SECONDS, 'utf8')) : {};
}

/** Records what each file took in a run of all. */
export function recordSeconds(seconds) {
  const rows = [...seconds].map(([file, took]) => [sourceName(file), Math.ceil(took)]);
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(SECONDS, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
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
