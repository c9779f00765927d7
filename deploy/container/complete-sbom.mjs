// Completes what pnpm says of a service's packages (CycloneDX) to what is in its image: packages that
// are not in the folder go, and Node and the packages of Debian come.
//
//   node complete-sbom.mjs <folder of the service> <the files of the runtime image>
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, image] = process.argv.slice(2);
const dpkg = join(image, 'var', 'lib', 'dpkg');
const file = join(folder, 'sbom.cdx.json');
const sbom = JSON.parse(readFileSync(file, 'utf8'));

/** `name@version` of each package below the folder's `node_modules`. */
const installed = new Set(
  readdirSync(join(folder, 'node_modules'), { recursive: true })
    .filter((path) =>
      /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(`node_modules/${path}`),
    )
    .map((path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8')))
    .map(({ name, version }) => `${name}@${version}`),
);

const nameOf = ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`;
const packages = sbom.components.filter((one) => installed.has(nameOf(one)));
const version = nodeVersion();
const runtime = {
  type: 'platform',
  ...{ name: 'node', version },
  licenses: [{ license: { id: 'MIT' } }],
  ...identified(`pkg:generic/node@${version}`),
};
const kept = new Set(packages.map((one) => one['bom-ref']));
kept.add(sbom.metadata.component['bom-ref']);
sbom.components = [...packages, runtime, ...debianPackages()];
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);

/** As the program itself says it: it may not run in the image that builds. */
function nodeVersion() {
  const places = ['usr/local/bin/node', 'nodejs/bin/node'].map((path) => join(image, path));
  const node = places.find((place) => existsSync(place));
  if (node === undefined) throw new Error(`there is no Node in ${places.join(' or ')}`);
  const [, found] =
    /nodejs\.org\/download\/release\/v([\d.]+)\//.exec(readFileSync(node, 'latin1')) ?? [];
  if (found === undefined) throw new Error(`${node} does not say its version`);
  return found;
}

/** Of Debian's own list, and of the files that distroless has in its place. */
function debianPackages() {
  const parts = join(dpkg, 'status.d');
  const texts = existsSync(parts)
    ? readdirSync(parts)
        .filter((name) => !name.endsWith('.md5sums'))
        .map((name) => readFileSync(join(parts, name), 'utf8'))
    : readFileSync(join(dpkg, 'status'), 'utf8').split(/\n\n+/);
  return texts.flatMap((text) => {
    const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
    const [name, version] = [field('Package'), field('Version')];
    if (name === undefined || version === undefined) return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}`;
    return [{ type: 'library', name, version, ...identified(purl) }];
  });
}

function identified(purl) {
  return { purl, 'bom-ref': purl };
}
