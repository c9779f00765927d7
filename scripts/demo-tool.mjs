// The process of a command-line tool for the first start (demo.mjs): it loads the tool once, and runs the
// commands that come in as lines of JSON, one after the other. The words: the package, and the
// line that ends each result.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { root } from './bootstrap.mjs';

const [packageName, endOfResult] = process.argv.slice(2);
const entry = join(root, 'packages', packageName, 'dist', 'src', 'cli', 'run.js');
const { run } = await import(pathToFileURL(entry));

const lines = createInterface({ input: process.stdin });
let isRunning = false;
// A start that was killed wants no more of it, and the next one needs the store.
lines.once('close', () => isRunning && process.exit(1));
for await (const line of lines) {
  isRunning = true;
  process.exitCode = await run([process.execPath, packageName, ...JSON.parse(line), '--json']);
  // What was refused has been told; the rest of stdin must not keep the process.
  if (process.exitCode !== 0) {
    await new Promise((done) => process.stderr.write('', done));
    process.exit();
  }
  isRunning = false;
  process.stdout.write(`${endOfResult}\n`);
}
