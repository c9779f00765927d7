// Checks who imports whom (docs/reasons/adr/0001-structure.md, import-rules.mjs). Prints each breach and
// each circle of folders, and exits 1.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import {
  ADAPTER_NAME,
  EDGE_LIBRARIES,
  KIND_OF,
  LIBRARY_PLACES,
  MAY_IMPORT,
  OUTSIDE,
  PACKAGES,
} from './import-rules.mjs';

const root = resolve(import.meta.dirname, '..');

/**
 * What is wrong in a package: sentences.
 *
 * @param name the package's folder.
 * @param imports each source file's path below `src/`, with what it imports: a path below `src/`
 *   where it is a file of the package, otherwise the module's name.
 */
export function breachesOf(name, imports) {
  const kinds = new Map([...imports].map(([file, names]) => [file, kindOf(name, file, names)]));
  const breaches = [];
  for (const [file, names] of imports) {
    for (const imported of names) {
      const why = imported.endsWith('.ts')
        ? betweenFiles(kinds, file, imported)
        : ofLibrary(name, kinds, file, imported);
      if (why !== undefined) breaches.push(`packages/${name}/src/${file}: ${imported}: ${why}`);
    }
  }
  const arrows = folderArrows(imports);
  return [...breaches, ...circlesOf(arrows).map((circle) => circleFault(name, arrows, circle))];
}

function betweenFiles(kinds, file, imported) {
  if (imported.startsWith('..')) return 'leaves the package’s sources';
  const [from, to] = [kinds.get(file), kinds.get(imported)];
  if (to === undefined) return 'is no source of the package';
  return MAY_IMPORT[from].includes(to) ? undefined : `${from} may not import ${to}`;
}

function ofLibrary(name, kinds, file, imported) {
  const library = LIBRARY_PLACES.find(
    (one) => imported === one.name || imported.startsWith(`${one.name}/`),
  );
  const [, wanted] = /^@cls\/([^/]+)/.exec(imported) ?? [];
  if (wanted !== undefined && !PACKAGES[name]?.includes(wanted)) {
    return `PACKAGES in scripts/import-rules.mjs does not list ${wanted} for ${name}`;
  }
  if (library && !library.places.some((place) => `${name}/${file}`.startsWith(place))) {
    return `is only for ${library.places.join(', ')}`;
  }
  if (kinds.get(file) === 'core' && EDGE_LIBRARIES.test(imported)) {
    return 'a core file speaks neither HTTP nor a command line';
  }
  if (kinds.get(file) === 'domain' && !/^(@cls\/shared\/|node:(assert|crypto))/.test(imported)) {
    return 'a domain file imports no library and does no input or output';
  }
  return undefined;
}

function kindOf(name, file, names) {
  if (KIND_OF[name] === undefined) return 'root';
  const places = Object.keys(KIND_OF[name]).filter((place) => file.startsWith(place));
  const [longest] = places.sort((a, b) => b.length - a.length);
  if (longest !== undefined) return KIND_OF[name][longest];
  const outside = names.some((imported) => OUTSIDE.test(imported));
  return ADAPTER_NAME.test(file) || outside ? 'adapter' : 'core';
}

/** Folder → the folders that its files import, each with one such import. */
function folderArrows(imports) {
  const arrows = new Map();
  for (const [file, names] of imports) {
    for (const imported of names.filter((one) => one.endsWith('.ts'))) {
      const [from, to] = [dirname(file), dirname(imported)];
      if (from === to) continue;
      if (!arrows.has(from)) arrows.set(from, new Map());
      arrows.get(from).set(to, `${file} imports ${imported}`);
    }
  }
  return arrows;
}

/** The shortest way round from each arrow that begins a circle, each circle once. */
function circlesOf(arrows) {
  const found = new Map();
  for (const [from, targets] of arrows) {
    for (const to of targets.keys()) {
      const way = shortestWay(arrows, to, from);
      if (way !== undefined) found.set([...way].sort().join(' '), [from, ...way]);
    }
  }
  return [...found.values()];
}

function shortestWay(arrows, from, wanted) {
  const ways = new Map([[from, [from]]]);
  for (const [at, way] of ways) {
    if (at === wanted) return way;
    for (const next of arrows.get(at)?.keys() ?? []) {
      if (!ways.has(next)) ways.set(next, [...way, next]);
    }
  }
  return undefined;
}

function circleFault(name, arrows, circle) {
  const steps = circle.slice(1).map((to, index) => arrows.get(circle[index]).get(to));
  return `packages/${name}/src: a circle of folders: ${steps.join('; ')}`;
}

function sourcesOf(name) {
  const source = join(root, 'packages', name, 'src');
  const files = readdirSync(source, { recursive: true }).filter((file) => file.endsWith('.ts'));
  return new Map(files.map((file) => [file, importsOf(source, file)]));
}

function importsOf(source, file) {
  const path = join(source, file);
  const { module, errors } = parseSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
  );
  return [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported]
    .filter((name) => !name.endsWith('.json'))
    .map((name) => (name.startsWith('.') ? relative(source, resolve(dirname(path), name)) : name));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const breaches = readdirSync(join(root, 'packages')).flatMap((name) =>
    breachesOf(name, sourcesOf(name)),
  );
  for (const breach of breaches) process.stderr.write(`${breach}\n`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
