// `npm test`: installs, builds, checks, runs tests; `npm test -- --help` says what it takes.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, fail, root } from './bootstrap.mjs';
import { runCommand } from './run-command.mjs';
import { compiledName, testFiles } from './test-runner/files.mjs';
import { runFiles } from './test-runner/queue.mjs';
import { summaryOf } from './test-runner/summary.mjs';
import { HELP, readWords } from './test-runner/words.mjs';

const { files, filter, fast, slowest, help, workers } = wordsOrHelp();
if (help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const missing = files.find((file) => !existsSync(file));
if (missing !== undefined) fail(`${missing} is not there`);
await bootstrap();
if (runCommand(join(root, 'scripts', 'check.mjs')) !== 0) process.exit(1);

const coverage =
  process.env.CLS_COVERAGE === '1' ? mkdtempSync(join(tmpdir(), 'cls-coverage-')) : undefined;
const outcome = await runFiles(files.length > 0 ? files.map(compiledName) : testFiles({ fast }), {
  workers,
  filter,
  env: {
    ...(fast && { ENGINES: 'pglite', CLS_TEST_SERVERS: '0' }),
    ...(coverage && { NODE_V8_COVERAGE: coverage }),
  },
});
if (coverage !== undefined) {
  const c8 = join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  runCommand(c8, 'report', '--temp-directory', coverage);
  rmSync(coverage, { recursive: true });
}
process.stdout.write(summaryOf(outcome, slowest));
process.exitCode = outcome.failed === 0 && outcome.passed > 0 ? 0 : 1;

function wordsOrHelp() {
  try {
    return readWords(process.argv.slice(2));
  } catch (error) {
    return fail(`${error.message}\n\n${HELP}`);
  }
}
