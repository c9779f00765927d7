// What the documents name is there (files in backticks, targets of links, headings); decisions have a number,
// a status and a date; units and CronJobs that they name are in deploy/; each folder of sources that holds a
// protocol or a thing says what it is.
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
  /^([A-Z]+\.md|docs\/.*\.md|packages\/.*README\.md)$/.test(file),
);

describe('the documents', () => {
  it('are found', () => {
    expect(documents).to.include.members([
      'README.md',
      'docs/reference/api.md',
      'docs/reasons/adr/README.md',
    ]);
  });

  for (const document of documents) {
    it(`${document} names files that are there`, () => {
      const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
      const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, token]) => token);
      expect(named.filter((token) => isMissingFile(document, token))).to.deep.equal([]);
      const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target);
      expect(links.filter((target) => isMissingTarget(document, target))).to.deep.equal([]);
    });

    it(`${document} links to headings that are there`, () => {
      expect(anchorsOf(document).filter((link) => isMissingHeading(document, link))).to.deep.equal(
        [],
      );
    });
  }
});

describe('the units and CronJobs that the documents name', () => {
  const units = new Set(
    files.filter((file) => /^deploy\/systemd\//.test(file)).map((file) => basename(file)),
  );
  /** `cls-api-task@reconcile` is made of the template `cls-api-task@.service`. */
  const isUnit = (name) =>
    (/\.(service|timer)$/.test(name) ? [name] : [`${name}.service`]).some(
      (unit) => units.has(unit) || units.has(unit.replace(/@[\w-]+/, '@')),
    );
  const cronJobs = new Set(
    [
      ...readFileSync(join(root, 'deploy/kubernetes/tasks/tasks.yaml'), 'utf8').matchAll(
        /^kind: CronJob\nmetadata:\n {2}name: (.+)$/gm,
      ),
    ].map(([, name]) => name),
  );
  const UNIT = /\bcls-[a-z-]+@[\w-]+(?:\.(?:service|timer))?|\bcls-[a-z-]+\.(?:service|timer)\b/g;
  const AFTER_UNIT = /\bunits? `([^`\s]+)`(?: or `([^`\s]+)`)?/g;
  const COMMAND = /\bsystemctl (?:start|stop|restart|enable --now|disable --now) ([^`\n#]+)/g;
  const CRON_JOB = /\bCronJobs? `([^`\s]+)`|\bcronjob[/ ]([a-z-]+)/g;

  it('are in deploy/', () => {
    expect(units.has('cls-api-backup.timer'), 'units are found').to.equal(true);
    expect(cronJobs.has('api-backup'), 'CronJobs are found').to.equal(true);
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const commands = [...text.matchAll(COMMAND)].flatMap(([, names]) => names.split(/\s+/));
      const named = [
        ...[...text.matchAll(UNIT)].map(([name]) => name),
        ...[...text.matchAll(AFTER_UNIT)].flatMap(([, one, other]) => [one, other]),
        ...commands,
      ].filter((name) => name?.startsWith('cls-'));
      const jobs = [...text.matchAll(CRON_JOB)].map(([, one, other]) => one ?? other);
      return [
        ...named.filter((name) => !isUnit(name)),
        ...jobs.filter((name) => !cronJobs.has(name)),
      ].map((name) => `${document}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });
});

describe('the decisions', () => {
  const index = readFileSync(join(root, 'docs/reasons/adr/README.md'), 'utf8');
  const decisions = files.filter((file) => /^docs\/reasons\/adr\/\d/.test(file)).sort();

  it('have each number once, or the list names the decision that it was merged into', () => {
    const merged = [...index.matchAll(/^Merged into \d+: (.+)\.$/gm)].flatMap(([, list]) =>
      list.split(', ').map(Number),
    );
    const numbers = [...decisions.map((file) => Number(basename(file).slice(0, 4))), ...merged];
    expect(numbers.sort((a, b) => a - b)).to.deep.equal(numbers.map((_, at) => at + 1));
  });

  for (const file of decisions) {
    it(`${basename(file)} has a title, a status and a date, and is in the list`, () => {
      const number = Number(basename(file).slice(0, 4));
      const head = /^# (\d+)\. (.+)\n\nStatus: (.+), (\d{4}-\d{2}-\d{2})\n/.exec(
        readFileSync(join(root, file), 'utf8'),
      );
      expect(head, file).not.to.equal(null);
      const [, given, title, status, date] = head;
      expect(Number(given)).to.equal(number);
      expect(Number.isNaN(Date.parse(date))).to.equal(false);
      const end = status === 'accepted' ? '' : `: ${status}`;
      expect(index.split('\n')).to.include(`- [${number}. ${title}](${basename(file)})${end}`);
    });
  }
});

describe('the folders of the services', () => {
  const rooms = [...folders].filter((folder) =>
    /^packages\/(auth-server|resource-api|shared)\/src\/[^/]+(\/[^/]+)?$/.test(folder),
  );
  const withoutNeed = /\/(views\/[^/]+|web\/messages|csv|sql)$/;

  for (const folder of rooms.filter((one) => !withoutNeed.test(one))) {
    it(`${folder} says what it is`, () => {
      expect(files).to.include(`${folder}/README.md`);
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

/** Links with a fragment, outside of code: `page.md#heading` or `#heading`. */
function anchorsOf(document) {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/\]\(([^)\s#]*#[^)\s]+)\)/g)].map(([, link]) => link);
}

function isMissingHeading(document, link) {
  const [target, fragment] = link.split('#');
  if (/^[a-z]+:/.test(target)) return false;
  const file = target === '' ? document : posix.join(dirname(document), target);
  return file.endsWith('.md') && isThere(file) && !fragmentsOf(file).includes(fragment);
}

/** The fragments of a document's headings, as GitHub makes them. */
function fragmentsOf(file) {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const slugs = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return slugs.map((slug, at) => {
    const before = slugs.slice(0, at).filter((one) => one === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
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
