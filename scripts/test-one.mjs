// `npm run test:one FILE`: compiles what changed and runs one test file, without the checks.
// `npm run test:watch FILE` does so again whenever a source changes.
import { existsSync, readdirSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CLIENT_TYPES, fail, root } from './bootstrap.mjs';
import { runCommand } from './run-command.mjs';
import { compiledName } from './test-runner/files.mjs';

const USAGE = `npm run test:one FILE [-- options of mocha]     such as packages/shared/test/environment.test.ts
npm run test:watch FILE [-- options of mocha]   runs it again whenever a source changes
`;
const SETTLED_MS = 100;

const words = process.argv.slice(2);
const watching = words[0] === '--watch';
const [file, ...options] = watching ? words.slice(1) : words;
if (file === undefined || !/\.test\.(ts|m?js)$/.test(file)) fail(USAGE);
if (!existsSync(file)) fail(`${file} is not there\n\n${USAGE}`);
if (!existsSync(join(root, 'node_modules')))
  fail('Nothing is installed yet: run npm run setup once.');

process.exitCode = run();
if (watching) {
  let timer;
  const again = (_event, name) => {
    if (name === null || !/\.(ts|mjs|sql|json)$/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(run, SETTLED_MS);
  };
  for (const folder of sourceFolders()) watch(folder, { recursive: true }, again);
}

function run() {
  const project = /^packages\/[^/]+/.exec(relative(root, resolve(file)))?.[0];
  const typed = project === 'packages/client' ? runCommand(CLIENT_TYPES) : 0;
  if (typed !== 0) return typed;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = project === undefined ? 0 : runCommand(tsc, '-b', project);
  if (compiled !== 0) return compiled;
  const made = runCommand(join(root, 'scripts', 'documentation.mjs'));
  if (made !== 0) return made;
  const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  return runCommand(mocha, '--fail-zero', ...options, compiledName(file));
}

/** Not `dist`, which every run changes. */
function sourceFolders() {
  const names = readdirSync(join(root, 'packages'));
  return names
    .flatMap((name) =>
      ['src', 'test', 'migrations'].map((part) => join(root, 'packages', name, part)),
    )
    .concat(join(root, 'scripts'))
    .filter((folder) => existsSync(folder));
}
