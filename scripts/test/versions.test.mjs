// A release has one number: the changelog's newest, in every package, in what the tools
// print, and in what is deployed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '..', '..');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const newest = /^## (\S+)$/m.exec(read('docs', 'CHANGELOG.md'))?.[1];

describe('the version of a release', () => {
  const folders = readdirSync(join(root, 'packages')).map((name) => ['packages', name]);
  for (const folder of [[], ...folders]) {
    const manifest = [...folder, 'package.json'].join('/');
    it(`stands in ${manifest} as in the changelog`, () => {
      expect(JSON.parse(read(...folder, 'package.json')).version).to.equal(newest);
    });
  }

  const images = ['migrate', 'overlays/production', 'overlays/staging'].map(
    (folder) => `deploy/kubernetes/${folder}/kustomization.yaml`,
  );
  for (const file of [...images, 'docs/guides/deployment.md']) {
    it(`is the one of the images in ${file}`, () => {
      const tags = [...read(file).matchAll(/newTag: (\S+?) }|cls\/\S+?:(\d\S+)/g)];
      expect(tags).not.to.have.length(0);
      for (const [, tag, other] of tags) expect(tag ?? other).to.equal(newest);
    });
  }
});
