// A process that runs one test file after another, as scripts/test-runner/queue.mjs hands them to
// it. Servers and database templates are made once per process, and serve all of its files.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import Mocha from 'mocha';
import { endOfFile, endOfTests } from '../../packages/testing/dist/src/end-of-tests.js';

const root = resolve(import.meta.dirname, '..', '..');
const [endMs, leftOpen] = process.argv.slice(2).map(Number);
/** Titles of what failed in the file that runs; undefined between files. */
let failures;

let rejected;
process.on('unhandledRejection', (reason, promise) => {
  // Mocha emits each a second time.
  if (promise === rejected) return;
  rejected = promise;
  process.stderr.write(`Nobody handles a rejection: ${inspect(reason)}\n`);
  if (failures === undefined) process.exitCode = 1;
  else failures.push('a rejection that nobody handles');
});

process.on('message', async ({ file, filter }) => {
  failures = [];
  const mocha = new Mocha({ reporter: 'spec', timeout: 600_000, forbidOnly: true, ...filter });
  mocha.addFile(resolve(root, file));
  // Where the last look was at a socket or a pipe, such as one that went with its folder, Node 20 resolves no
  // symbolic link of the next import.
  statSync(import.meta.filename);
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    process.stderr.write(`${inspect(error)}\n`);
    failures.push('the file does not load');
    return report({ passes: 0, pending: 0 });
  }
  const runner = mocha.run(() => void endOfFile().then(() => report(runner.stats)));
  runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => failures.push(test.fullTitle()));
});

function report({ passes: passed, pending: skipped }) {
  process.send({ passed, skipped, failures, memory: process.memoryUsage.rss() });
  failures = undefined;
}

// What ends at `exit`, such as a test's servers, is not to outlive a run that is broken off.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

// Nothing is left to run: the process ends by itself, unless a test left something open.
process.on('disconnect', () => {
  if (failures !== undefined) process.exit(1);
  void endOfTests();
  setTimeout(() => {
    process.stderr.write(`a test left something open: ${whatIsOpen()}\n`);
    process.exit(leftOpen);
  }, endMs).unref();
});

/** Kinds of what keeps the process, and where they are known: addresses and child processes. */
function whatIsOpen() {
  const kinds = process.getActiveResourcesInfo();
  // No documented function tells more than the kinds.
  const handles = process._getActiveHandles().map((handle) => {
    const { localPort, remotePort, spawnargs, listening, destroyed } = handle;
    const facts = { localPort, remotePort, spawnargs, destroyed };
    if (listening) facts.address = handle.address();
    return `${handle.constructor.name} ${JSON.stringify(facts)}`;
  });
  return [...kinds, ...handles].join(', ');
}
