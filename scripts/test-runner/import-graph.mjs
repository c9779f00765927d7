// Which files a test runs, by its imports.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

const root = resolve(import.meta.dirname, '..', '..');
/** What starts a server, a browser or another process. */
const STARTERS =
  /^(@cls\/testing\/|node:(child_process|http|https|net|tls)$|playwright-core$)|\/embedded\//;

const known = new Map();

/** The files that a file imports, below the root, and the modules that are none of this repository. */
export function importsOf(file) {
  if (!known.has(file)) known.set(file, readImports(file));
  return known.get(file);
}

/** The file and all that it leads to. @param within of these files alone. */
export function reachOf(file, within = () => true) {
  const reached = new Set([file]);
  for (const one of reached) {
    for (const next of importsOf(one).files) if (within(next)) reached.add(next);
  }
  return reached;
}

/** Whether a test starts nothing: no server, no database, no browser, no process. */
export function startsNothing(test) {
  const ofTests = (file) => /(^|\/)test\/|^packages\/testing\//.test(file);
  return [...reachOf(test, ofTests)].every((file) =>
    importsOf(file).names.every((name) => !STARTERS.test(name)),
  );
}

/**
 * The tests that a change may reach: those that import a changed source, those that start a service
 * whose package has one, and those of a package with another changed file, such as a migration.
 */
export function testsOf(tests, changed) {
  const sources = new Set(changed.filter(isSource));
  const packages = new Set(changed.filter((file) => !isSource(file)).map(packageOf));
  return tests.filter((test) => {
    const reached = [...reachOf(test)];
    return (
      reached.some((file) => sources.has(file) || packages.has(packageOf(file))) ||
      (startsServices(reached) && changed.some((file) => packageOf(file) !== ''))
    );
  });
}

function startsServices(files) {
  return files.some((file) => importsOf(file).text.includes('main.js'));
}

function isSource(file) {
  return /\.(ts|mjs)$/.test(file);
}

function packageOf(file) {
  return /^(packages\/[^/]+)\//.exec(file)?.[1] ?? '';
}

function readImports(file) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const { module } = parseSync(path, text);
  const isType = ({ entries }) => entries.length > 0 && entries.every((one) => one.isType);
  const names = [
    ...module.staticImports.filter((one) => !isType(one)).map((one) => one.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((one) => (one.moduleRequest ? [one.moduleRequest.value] : [])),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const [, literal] = /^['"`]([^$]+)['"`]$/.exec(text.slice(start, end)) ?? [];
      return literal === undefined ? [] : [literal];
    }),
  ];
  const files = names.map((name) => sourceOf(file, name)).filter((one) => one !== undefined);
  return { names, files, text };
}

/** The source of an imported module, of a compiled one too; undefined where it is none of ours. */
function sourceOf(file, name) {
  const [, ofPackage, path] = /^@cls\/([^/]+)\/(.+)$/.exec(name) ?? [];
  const place =
    ofPackage === undefined
      ? name.startsWith('.') && relative(root, resolve(root, dirname(file), name))
      : join('packages', ofPackage, 'src', `${path}.ts`);
  if (!place) return undefined;
  const source = place.replace(/^(packages\/[^/]+)\/dist\/(.*)\.js$/, '$1/$2.ts');
  return existsSync(join(root, source)) && isSource(source) ? source : undefined;
}
