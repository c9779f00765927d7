// `npm run drill:upgrade`: the upgrade from the last release to this build under load, and back.
import { bootstrap } from './bootstrap.mjs';

await bootstrap();
const { hasPrevious, PREVIOUS, previousBuild } = await import('./drills/previous-build.mjs');
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
process.exit([...results.values()].flat().some(({ faults }) => faults.length > 0) ? 1 : 0);
