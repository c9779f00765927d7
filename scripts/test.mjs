// `npm test`: installs, builds, checks, runs tests; `npm test -- --help` says what it takes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, fail, root } from './bootstrap.mjs';
import { runCommand } from './run-command.mjs';
import { compiledName, recordSeconds, sourceName, testFiles } from './test-runner/files.mjs';
import { folderInMemory } from './test-runner/folder-in-memory.mjs';
import { runFiles } from './test-runner/queue.mjs';
import { summaryOf } from './test-runner/summary.mjs';
import { HELP, readWords } from './test-runner/words.mjs';

const words = wordsOrHelp();
if (words.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const missing = words.files.find((file) => !existsSync(file));
if (missing !== undefined) fail(`${missing} is not there`);
await bootstrap();
const isPart = words.unit || words.fast || words.since !== undefined;
if (!isPart && runCommand(join(root, 'scripts', 'check.mjs')) !== 0) process.exit(1);

const coverage =
  process.env.CLS_COVERAGE === '1' ? mkdtempSync(join(tmpdir(), 'cls-coverage-')) : undefined;
const { place, isShort } = await placeOf(words);
const files = await filesToRun(words);
const temporary = files.length > 1 ? folderInMemory() : undefined;
const outcome = await runFiles(files, {
  workers: words.workers,
  filter: words.filter,
  env: {
    ...(words.fast && { ENGINES: 'pglite', CLS_TEST_SERVERS: '0' }),
    ...(coverage && { NODE_V8_COVERAGE: coverage }),
    ...(temporary && { TMPDIR: temporary }),
  },
});
if (coverage !== undefined) {
  const c8 = join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  runCommand(c8, 'report', '--temp-directory', coverage);
  rmSync(coverage, { recursive: true });
}
if (words.record) recordSeconds(outcome.seconds, place);
if (isShort && words.files.length === 0) {
  const leftOut = testFiles().length - testFiles({ isShort }).length;
  process.stdout.write(
    `\n${leftOut} files take longest without PostgreSQL, and were left out: ENGINES=pglite npm test runs them.\n`,
  );
}
process.stdout.write(summaryOf(outcome, words.slowest));
process.exitCode = outcome.failed === 0 && (outcome.passed > 0 || files.length === 0) ? 0 : 1;

/** Whether tests have PostgreSQL, or Node alone; there a run is short, unless `ENGINES` asks for all. */
async function placeOf({ fast }) {
  const { postgresBinDir } = await import('@cls/testing/servers');
  const { ENGINES: engines, CLS_REQUIRE_SERVERS: required } = process.env;
  const hasPostgres = required === '1' || postgresBinDir() !== undefined;
  const place = fast || engines === 'pglite' || !hasPostgres ? 'node' : 'servers';
  return { place, isShort: fast || (place === 'node' && !engines && !isPart) };
}

async function filesToRun({ files, unit, since }) {
  if (files.length > 0) return files.map(compiledName);
  const all = testFiles({ place, isShort });
  if (!unit && since === undefined) return all;
  const { startsNothing, testsOf } = await import('./test-runner/import-graph.mjs');
  const sources = all.map(sourceName);
  const chosen = unit ? sources.filter(startsNothing) : testsOf(sources, changedSince(since));
  return chosen.map(compiledName);
}

/** Tracked files that differ from a commit, and new ones. */
function changedSince(commit) {
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) fail(stderr.trim());
    return stdout.split('\n').filter((line) => line !== '');
  };
  const changed = git('diff', '--name-only', commit);
  return [...changed, ...git('ls-files', '--others', '--exclude-standard')];
}

function wordsOrHelp() {
  try {
    return readWords(process.argv.slice(2));
  } catch (error) {
    return fail(`${error.message}\n\n${HELP}`);
  }
}
