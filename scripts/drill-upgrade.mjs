// `npm run drill:upgrade`: the upgrade from the last release to this build under load, and back. With --if-changed
// only where migrations, grants or the release changed since it passed last: that is in drilled.json.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';
import { hasPrevious, PREVIOUS, previousBuild } from './drills/previous-build.mjs';

const DRILLED = join(import.meta.dirname, 'drills', 'drilled.json');
const digest = digestOfSchemas();
if (process.argv.includes('--if-changed') && JSON.parse(readFileSync(DRILLED)).digest === digest) {
  process.stdout.write(
    'The upgrade passed with these migrations, grants and this release before.\n',
  );
  process.exit(0);
}
await bootstrap();
try {
  if (hasPrevious()) previousBuild();
} catch ({ message }) {
  // Its packages may be out of reach: that says nothing about this build.
  process.stderr.write(`SKIPPED: release ${PREVIOUS.release} cannot be built here: ${message}\n`);
  process.exit(0);
}
const { UPGRADE } = await import('./drills/list/upgrade.mjs');
const { runDrills } = await import('./drills/run-drills.mjs');
const results = await runDrills(UPGRADE, 1, (drill, _, { faults, answers, slowestMs, reasons }) => {
  const verdict = faults.length === 0 ? 'passed' : `FAULTS ${faults.join('; ')}`;
  const slowest = (slowestMs / 1_000).toFixed(1);
  process.stdout.write(`${drill.name}: ${verdict}; ${answers} answers, slowest ${slowest} s\n`);
  for (const reason of reasons) process.stdout.write(`    ${reason}\n`);
});
const runs = [...results.values()].flat();
const passed = runs.length > 0 && runs.every(({ faults }) => faults.length === 0);
if (passed) writeFileSync(DRILLED, `{ "digest": "${digest}" }\n`);
process.exit(passed || runs.length === 0 ? 0 : 1);

/** Of what decides whether two builds work on one schema, without comments. */
function digestOfSchemas() {
  const hash = createHash('sha256').update(PREVIOUS.commit);
  for (const name of ['auth-server', 'explorer', 'resource-api']) {
    const folder = join(root, 'packages', name);
    const migrations = readdirSync(join(folder, 'migrations'), { recursive: true })
      .filter((file) => file.endsWith('.sql'))
      .map((file) => join('migrations', file));
    for (const file of ['grants.sql', ...migrations.sort()]) {
      const sql = readFileSync(join(folder, file), 'utf8').replaceAll(/^\s*--.*\n/gm, '');
      hash.update(`${name}/${file}\n`).update(sql);
    }
  }
  return hash.digest('hex');
}
