// `npm test`: installs, builds, checks, runs every test. Arguments go to mocha: `-- --grep token`,
// or the compiled files to run instead of all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

bootstrap();
run(process.execPath, [join(root, 'scripts', 'check.mjs')]);

const SPECS = ['packages/*/dist/test/**/*.test.js', 'scripts/test/**/*.test.mjs'];
const given = process.argv.slice(2);
const specs = given.some((word) => /\.m?js$/.test(word)) ? [] : SPECS;

const results = mkdtempSync(join(tmpdir(), 'cls-test-'));
const resultFile = join(results, 'stats.json');
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
const reporter = join(root, 'scripts', 'mocha-reporter.cjs');
const mochaArgs = [mocha, '--reporter', reporter, '--reporter-option', `file=${resultFile}`];
const coverage = process.env.CLS_COVERAGE === '1';
const prefix = coverage ? [join(root, 'node_modules', 'c8', 'bin', 'c8.js'), process.execPath] : [];
const { status } = spawnSync(process.execPath, [...prefix, ...mochaArgs, ...given, ...specs], {
  cwd: root,
  stdio: 'inherit',
});

const stats = readStats();
rmSync(results, { recursive: true, force: true });
const skipped = stats.skipped > 0 ? `, ${stats.skipped} skipped` : '';
process.stdout.write(`${stats.passed} passed, ${stats.failed} failed${skipped}\n`);
process.exit(status === 0 && stats.failed === 0 && stats.passed > 0 ? 0 : 1);

/** A mocha that died before its end has failed, whatever passed until then. */
function readStats() {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function run(command, args) {
  const { status: code } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (code !== 0) process.exit(1);
}
