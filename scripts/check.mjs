// Formatting, lint, import rules, the contract gate, migrations, the generated reference, contracts and schemas: what `npm test` checks before it runs a test.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const biome = join(root, 'node_modules', '.bin', 'biome');
const checks = [
  // First: what a change of the API needs is worth more than how its source is laid out.
  ['contract check', process.execPath, [join(root, 'scripts', 'contract.mjs'), 'check']],
  ['formatting and lint', biome, ['check', '--error-on-warnings', '.']],
  [
    'configuration reference',
    process.execPath,
    [join(root, 'scripts', 'configuration-reference.mjs'), '--check'],
  ],
  [
    'memory reference',
    process.execPath,
    [join(root, 'scripts', 'memory-reference.mjs'), '--check'],
  ],
  [
    'profile reference',
    process.execPath,
    [join(root, 'scripts', 'profile-reference.mjs'), '--check'],
  ],
  ['contracts', process.execPath, [join(root, 'scripts', 'contracts.mjs'), '--check']],
  ['migrations', process.execPath, [join(root, 'scripts', 'check-migrations.mjs')]],
  ['schema', process.execPath, [join(root, 'scripts', 'schema.mjs'), '--check']],
  ['import rules', process.execPath, [join(root, 'scripts', 'check-imports.mjs')]],
];
for (const [name, command, args] of checks) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`${name}: not passed\n`);
    process.exit(1);
  }
}
