// The list of what is in an image: what pnpm says, completed by deploy/container/complete-sbom.mjs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { temporaryDirectory } from '../../packages/testing/dist/src/servers.js';

const root = resolve(import.meta.dirname, '..', '..');
const script = join(root, 'deploy', 'container', 'complete-sbom.mjs');

describe('the SBOM of an image', () => {
  const component = (name, version, group) => {
    const purl = `pkg:npm/${group === undefined ? '' : `${group}/`}${name}@${version}`;
    return { type: 'library', ...(group && { group }), name, version, 'bom-ref': purl, purl };
  };

  it('names the packages that are there, Node and the packages of Debian, and no others', () => {
    const folder = temporaryDirectory('cls-sbom-');
    for (const [path, name] of [
      ['koa', 'koa'],
      ['.pnpm/shared@1/node_modules/@cls/shared', '@cls/shared'],
    ]) {
      mkdirSync(join(folder, 'node_modules', path), { recursive: true });
      const manifest = JSON.stringify({ name, version: '1.0.0' });
      writeFileSync(join(folder, 'node_modules', path, 'package.json'), manifest);
    }
    const shown = [component('koa', '1.0.0'), component('shared', '1.0.0', '@cls')];
    const absent = component('fsevents', '2.3.3');
    const main = component('explorer', '1.0.0', '@cls');
    const file = join(folder, 'sbom.cdx.json');
    const dependsOn = [...shown, absent].map((one) => one['bom-ref']);
    writeFileSync(
      file,
      JSON.stringify({
        metadata: { component: main },
        components: [...shown, absent],
        dependencies: [{ ref: main['bom-ref'], dependsOn }, { ref: absent['bom-ref'] }],
      }),
    );
    const image = join(folder, 'image');
    const dpkg = join(image, 'var', 'lib', 'dpkg');
    mkdirSync(dpkg, { recursive: true });
    // Another one than the Node that builds.
    mkdirSync(join(image, 'nodejs', 'bin'), { recursive: true });
    const source = 'https://nodejs.org/download/release/v24.9.1/node-v24.9.1.tar.gz';
    writeFileSync(join(image, 'nodejs', 'bin', 'node'), `\x7fELF\xff\0${source}\0`);
    const entry = (name) =>
      `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:2.36-9+deb12u7\n`;
    writeFileSync(join(dpkg, 'status'), `${entry('libc6')}\n${entry('zlib1g')}`);
    execFileSync(process.execPath, [script, folder, image]);
    const { components, dependencies } = JSON.parse(readFileSync(file, 'utf8'));
    expect(components.map(({ name, version }) => `${name} ${version}`)).to.deep.equal([
      'koa 1.0.0',
      'shared 1.0.0',
      'node 24.9.1',
      'libc6 1:2.36-9+deb12u7',
      'zlib1g 1:2.36-9+deb12u7',
    ]);
    expect(components[3].purl).to.equal('pkg:deb/debian/libc6@1%3A2.36-9%2Bdeb12u7?arch=amd64');
    const left = shown.map((one) => one['bom-ref']);
    expect(dependencies).to.deep.equal([{ ref: main['bom-ref'], dependsOn: left }]);
  });
});
