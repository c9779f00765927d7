// `npm test`: installs, builds, checks, runs every test. Arguments go to mocha: `-- --grep token`,
// or the compiled files to run instead of all.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

await bootstrap();
const { status: checked } = spawnSync(process.execPath, [join(root, 'scripts', 'check.mjs')], {
  cwd: root,
  stdio: 'inherit',
});
if (checked !== 0) process.exit(1);

const given = process.argv.slice(2);
const coverage = process.env.CLS_COVERAGE === '1';
const files = given.some((word) => /\.m?js$/.test(word));
const oneByOne = given.length > 0 || coverage || availableParallelism() < 2;
const lanes = oneByOne ? [files ? given : [...given, ...testFiles()]] : lanesOf(testFiles());
const results = mkdtempSync(join(tmpdir(), 'cls-test-'));
const outcomes = await Promise.all(lanes.map(runLane));
rmSync(results, { recursive: true, force: true });

const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(sum);
process.stdout.write(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
);
process.exitCode = failed === 0 && outcomes.every((outcome) => outcome.passed > 0) ? 0 : 1;

/** What the sources name: a compiled test may be of a source that is gone. */
function testFiles() {
  const packages = readdirSync(join(root, 'packages'));
  const compiled = packages.flatMap((name) =>
    filesBelow(join('packages', name, 'test'))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join('packages', name, 'dist', 'test', file.replace(/ts$/, 'js'))),
  );
  const plain = filesBelow(join('scripts', 'test'))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => join('scripts', 'test', file));
  return [...compiled, ...plain].sort();
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true });
}

/** Each lane is one mocha with servers of its own, side by side on two cores; about as long each. */
function lanesOf(tests) {
  const first = (file) => /auth-server/.test(file) && !/views/.test(file);
  return [tests.filter(first), tests.filter((file) => !first(file))];
}

/** The first lane's output is seen as it comes, that of another when it has ended. */
async function runLane(words, index) {
  const stats = join(results, `${index}.json`);
  const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = join(root, 'scripts', 'mocha-reporter.cjs');
  const args = [mocha, '--reporter', reporter, '--reporter-option', `file=${stats}`, ...words];
  const c8 = join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  const child = spawn(process.execPath, coverage ? [c8, process.execPath, ...args] : args, {
    cwd: root,
    stdio: index === 0 ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part) => output.push(part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  process.stdout.write(Buffer.concat(output));
  const outcome = readStats(stats);
  return code !== 0 && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome;
}

/** A mocha that died before its end has failed, whatever passed until then. */
function readStats(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
