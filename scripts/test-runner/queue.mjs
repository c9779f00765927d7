// Runs test files over several processes: each takes the next file of one queue when it is done.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** How long a process has to end when it has nothing left to run. */
const END_MS = 10_000;
/** As which a process ends that did not end by itself. */
const LEFT_OPEN = 70;
/**
 * A process that grew so large makes room for another: modules and servers of its files stay. All together they
 * may have half of the memory; to begin anew takes seconds.
 */
const ROOM_BYTES = 1.2e9;
const roomOf = (workers) => Math.max(ROOM_BYTES, totalmem() / 2 / workers);
/** Garbage of tests is young: with more room for what is young, less of it is copied before it goes. */
const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=64'];
/** What of the words of a process that did not end well is repeated at the end. */
const REASON_CHARACTERS = 1_000;
const WORKER = join(import.meta.dirname, 'worker.mjs');

/**
 * Runs `files` and prints what each wrote when it has ended. A process that dies fails the file
 * that it ran, and another takes its place.
 *
 * @param options `workers` at once; `filter`: options of mocha, such as `grep`; `roomBytes`: where a
 *   process makes room for another.
 * @returns counts, the titles of failed tests, seconds per file, and what processes that did not end
 *   by themselves had left open. That is no failure: how long an end takes depends on the machine.
 */
export async function runFiles(files, options) {
  const { workers, filter = {}, env = {}, print = printOut } = options;
  const { endMs = END_MS, roomBytes = roomOf(workers) } = options;
  const total = {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
    leftOpen: [],
    seconds: new Map(),
  };
  const queue = [...files];
  const logs = mkdtempSync(join(tmpdir(), 'cls-test-'));
  const add = (file, { passed = 0, skipped = 0, failures }) => {
    total.passed += passed;
    total.failed += failures.length;
    total.skipped += skipped;
    total.failures.push(...failures.map((title) => `${file}: ${title}`));
  };
  const drain = async (number) => {
    while (queue.length > 0) await runWorker(join(logs, `${number}`), number);
  };
  const runWorker = (log, number) =>
    new Promise((done) => {
      const output = openSync(log, 'w');
      const child = spawn(process.execPath, [...NODE_FLAGS, WORKER, `${endMs}`, `${LEFT_OPEN}`], {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', output, output, 'ipc'],
      });
      closeSync(output);
      let shown = 0;
      const show = (title) => {
        const text = readFileSync(log);
        print(`\n${title}\n${text.subarray(shown)}`);
        shown = text.length;
      };
      const ran = [];
      let file;
      let started;
      const next = (memory = 0) => {
        file = memory > roomBytes ? undefined : queue.shift();
        started = Date.now();
        if (file === undefined) return child.disconnect();
        ran.push(file);
        child.send({ file, filter });
      };
      child.on('message', (counts) => {
        total.seconds.set(file, (Date.now() - started) / 1000);
        add(file, counts);
        show(`${file} (${number})`);
        next(counts.memory);
      });
      child.once('exit', (code, signal) => {
        if (file !== undefined || code !== 0) {
          const title = `the process ended (${signal ?? code})`;
          const where = file ?? `after the last file of ${ran.join(', ')}`;
          const why = `${readFileSync(log).subarray(shown)}`.trim().slice(0, REASON_CHARACTERS);
          if (file !== undefined) add(file, { failures: [title] });
          else if (code === LEFT_OPEN) total.leftOpen.push(`${where}: ${why}`);
          else add(where, { failures: [`${title}: ${why}`] });
          show(`${where}: ${title}`);
        }
        done();
      });
      next();
    });
  await Promise.all(
    Array.from({ length: Math.min(workers, files.length) }, (_, n) => drain(n + 1)),
  );
  rmSync(logs, { recursive: true });
  return total;
}

function printOut(text) {
  process.stdout.write(text);
}
