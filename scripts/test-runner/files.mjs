// The test files of the repository.
import { readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { LONG } from './long.mjs';

const root = resolve(import.meta.dirname, '..', '..');

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
  const rank = (file) => {
    const place = LONG.indexOf(basename(file).replace(/\.test\.m?js$/, ''));
    return place < 0 ? LONG.length : place;
  };
  return [...compiled, ...plain]
    .filter((file) => !fast || rank(file) === LONG.length)
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
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
