// Checks who imports whom (docs/adr/0001-structure.md). Folders are kinds of file; a kind may
// import the kinds listed for it. Prints each breach and exits 1.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { KIND_OF, LIBRARY_PLACES, MAY_IMPORT, PACKAGES } from './import-rules.mjs';

const root = resolve(import.meta.dirname, '..');
const breaches = [];

for (const name of readdirSync(join(root, 'packages'))) {
  const source = join(root, 'packages', name, 'src');
  for (const file of typescriptFiles(source)) {
    for (const specifier of importsOf(file)) {
      checkPackage(name, relative(source, file), specifier);
      if (KIND_OF[name]) check(name, source, file, specifier);
    }
  }
}
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exit(breaches.length === 0 ? 0 : 1);

function checkPackage(name, from, specifier) {
  const [, wanted] = /^@cls\/([^/]+)/.exec(specifier) ?? [];
  if (wanted === undefined || PACKAGES[name]?.includes(wanted)) return;
  breaches.push(
    `packages/${name}/src/${from}: ${specifier}: PACKAGES in scripts/import-rules.mjs does not list ${wanted} for ${name}`,
  );
}

function check(service, source, file, specifier) {
  const from = relative(source, file);
  const say = (why) => breaches.push(`packages/${service}/src/${from}: ${specifier}: ${why}`);
  if (specifier.startsWith('.')) {
    const to = relative(source, resolve(dirname(file), specifier));
    if (to.startsWith('..')) return say('leaves the package’s sources');
    const [fromKind, toKind] = [kindOf(service, from), kindOf(service, to)];
    if (fromKind === undefined) return say(`${from} has no kind in scripts/import-rules.mjs`);
    if (toKind === undefined) return say(`${to} has no kind in scripts/import-rules.mjs`);
    if (!MAY_IMPORT[fromKind].includes(toKind)) say(`${fromKind} may not import ${toKind}`);
    return;
  }
  const library = LIBRARY_PLACES.find(
    ({ name }) => specifier === name || specifier.startsWith(`${name}/`),
  );
  if (library && !library.places.some((place) => `${service}/${from}`.startsWith(place))) {
    say(`is only for ${library.places.join(', ')}`);
  }
  if (
    kindOf(service, from) === 'domain' &&
    !/^(@cls\/shared\/|node:(assert|crypto))/.test(specifier)
  ) {
    say('a domain file imports no library and does no input or output');
  }
}

/** The kind of the longest listed path that `file` starts with. */
function kindOf(service, file) {
  const places = Object.keys(KIND_OF[service]).filter((place) => file.startsWith(place));
  const longest = places.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : KIND_OF[service][longest];
}

function importsOf(file) {
  const { module, errors } = parseSync(file, readFileSync(file, 'utf8'));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
  );
  return [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported];
}

function typescriptFiles(directory) {
  return readdirSync(directory, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(directory, name));
}
