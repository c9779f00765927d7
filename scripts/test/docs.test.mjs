// What the documents name is there: files in backticks, and the targets of links.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '..', '..');
const LEFT_OUT = new Set(['node_modules', 'dist', '.git', '.cls-data']);

const files = filesBelow('');
const folders = new Set(files.flatMap(foldersOf));
const names = new Set(files.map((file) => basename(file)));
const topFolders = new Set(files.map((file) => file.split('/')[0]));
/** A path may be written from the root, or from a package, or from a package's sources. */
const bases = ['', ...[...folders].filter((folder) => /^packages\/[^/]+(\/src)?$/.test(folder))];

const documents = files.filter((file) =>
  /^([A-Z]+\.md|docs\/[^/]+\.md|docs\/adr\/.*\.md|packages\/.*README\.md)$/.test(file),
);

describe('the documents', () => {
  it('are found', () => {
    expect(documents).to.include.members(['README.md', 'docs/api.md', 'docs/adr/README.md']);
  });

  for (const document of documents) {
    it(`${document} names files that are there`, () => {
      const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
      const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, token]) => token);
      expect(named.filter((token) => isMissingFile(document, token))).to.deep.equal([]);
      const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target);
      expect(links.filter((target) => isMissingTarget(document, target))).to.deep.equal([]);
    });
  }
});

/** Whether a token looks like a file or folder of this repository and is none. */
function isMissingFile(document, token) {
  if (!/^[\w@.-]+(\/[\w@.-]+)*\/?$/.test(token) || /NNNN/.test(token)) return false;
  const path = token.replace(/\/$/, '');
  const source = /\.(ts|mjs|sql)$/.test(path);
  if (!path.includes('/')) return source && !names.has(path);
  if (!source && !topFolders.has(path.split('/')[0])) return false;
  const beside = posix.join(dirname(document), path);
  return ![...bases.map((base) => posix.join(base, path)), beside].some(isThere);
}

function isMissingTarget(document, target) {
  if (/^[a-z]+:/.test(target)) return false;
  return !isThere(posix.join(dirname(document), target).replace(/\/$/, ''));
}

function isThere(path) {
  return folders.has(path) || files.includes(path);
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = posix.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function foldersOf(file) {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
