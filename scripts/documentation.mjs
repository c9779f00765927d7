// Makes what resource-api serves below /docs from docs/ and from the recordings of real answers:
// packages/resource-api/dist/documentation.json. The reference itself is made by the service, from
// the contracts and the registry that it serves by. `npm run build` and `npm start` run this.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './bootstrap.mjs';
import { errorEntries } from './documentation/errors.mjs';
import { examplesOf } from './documentation/examples.mjs';
import { markdownPages } from './documentation/markdown.mjs';

/** Which documents callers read, in the order of the menu: file, path below /docs, group. */
const PAGES = [
  ['docs/start/quickstarts/README.md', 'quickstarts', 'start'],
  ['docs/start/quickstarts/curl.md', 'quickstarts/curl', 'quickstarts'],
  ['docs/start/quickstarts/python.md', 'quickstarts/python', 'quickstarts'],
  ['docs/start/quickstarts/go.md', 'quickstarts/go', 'quickstarts'],
  ['docs/start/quickstarts/java.md', 'quickstarts/java', 'quickstarts'],
  ['docs/start/quickstarts/typescript.md', 'quickstarts/typescript', 'quickstarts'],
  ['docs/reference/api.md', 'api', 'concepts'],
  ['docs/reference/tokens.md', 'tokens', 'concepts'],
  ['docs/guides/sign-in.md', 'sign-in', 'concepts'],
  ['docs/guides/accounts.md', 'accounts', 'concepts'],
  ['docs/guides/client-authentication.md', 'client-authentication', 'concepts'],
  ['docs/guides/clients.md', 'clients', 'concepts'],
  ['packages/client/README.md', 'typescript-client', 'concepts'],
  ['docs/reference/glossary.md', 'glossary', 'concepts'],
  ['docs/reference/versioning.md', 'versioning', 'versions'],
  ['docs/CHANGELOG.md', 'changelog', 'versions'],
  ['docs/guides/add-a-version.md', 'add-a-version', 'maintainers'],
];
/** Whose files are served as they are, where a page links to them. */
const FILES = /^docs\/start\/(examples|quickstarts)\/.+\.\w+$/;

const read = (file) => readFileSync(join(root, file), 'utf8');
const files = {};
const pageFiles = new Map(PAGES.map(([file, path]) => [file, `/docs/${path}`]));

/** The text of a file that is served, and where. */
function include(file) {
  const path = `/docs/files/${file.slice('docs/start/'.length)}`;
  files[path] ??= read(file);
  return { path, text: files[path] };
}

function pathOf(file) {
  if (file === 'docs/reference/errors.md') return '/docs/errors';
  const path = pageFiles.get(file);
  if (path !== undefined) return path;
  return FILES.test(file) && existsSync(join(root, file)) ? include(file).path : undefined;
}

const render = markdownPages({ pathOf, include });
const pages = PAGES.map(([file, path, group]) => ({
  path: `/docs/${path}`,
  group,
  ...render(file, read(file)),
}));
const [errorsIntroduction] = read('docs/reference/errors.md').split(/^## /m);
const errors = {
  introduction: render('docs/reference/errors.md', errorsIntroduction).html,
  entries: errorEntries(read('docs/reference/errors.md')).map(({ text, ...entry }) => ({
    ...entry,
    html: render('docs/reference/errors.md', text).html,
  })),
};
const golden = join(root, 'packages', 'resource-api', 'golden');
const examples = Object.fromEntries(
  readdirSync(golden).map((version) => {
    const contract = JSON.parse(read(`packages/resource-api/contracts/${version}.json`));
    const written = JSON.parse(read(`packages/resource-api/examples/${version}.json`));
    return [version, examplesOf(join(golden, version), written, Object.keys(contract.paths))];
  }),
);

const target = join(root, 'packages', 'resource-api', 'dist', 'documentation.json');
mkdirSync(dirname(target), { recursive: true });
const made = JSON.stringify({ pages, errors, files, examples });
if (!existsSync(target) || readFileSync(target, 'utf8') !== made) writeFileSync(target, made);
