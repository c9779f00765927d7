// `npm run drills`: breaks one thing at a time under load; docs/guides/drills.md has what it shows.
import { bootstrap, fail } from './bootstrap.mjs';

const HELP = `npm run drills [-- [name…] [--times 3] [--short] [--write] [--list]]

Starts two of each service with PostgreSQL, Redis and nginx, loads them, breaks one thing at a time,
and checks that nothing acknowledged is lost, that every answer is right or 503 with Retry-After, and
that all recovers by itself. Without names: every drill.

  --times N   runs of each drill (3)
  --short     only the drills that the tests run
  --write     write the table of docs/guides/drills.md
  --list      only print the names
`;

const words = process.argv.slice(2);
const flag = (name) => words.includes(`--${name}`) && words.splice(words.indexOf(`--${name}`), 1);
if (flag('help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const at = words.indexOf('--times');
const times = at < 0 ? 3 : Number(words.splice(at, 2)[1]);
const [short, write, list] = ['short', 'write', 'list'].map(flag);
if (process.env.DRILLS_BOOTSTRAP !== '0') await bootstrap();
const { DRILLS } = await import('./drills/list/index.mjs');
const { writeReport } = await import('./drills/report.mjs');
const { runDrills } = await import('./drills/run-drills.mjs');

const unknown = words.find((word) => !DRILLS.some(({ name }) => name === word));
if (unknown !== undefined) fail(`there is no drill ${unknown}; --list names them`);
const chosen = DRILLS.filter(
  (drill) => (words.length === 0 || words.includes(drill.name)) && (!short || drill.short),
);
if (list) {
  for (const { name, title } of chosen) process.stdout.write(`${name.padEnd(28)} ${title}\n`);
  process.exit(0);
}
const shown = new Map();
// Servers end with this process, also where somebody ends it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const results = await runDrills(chosen, times, (drill, run, result) => {
  shown.set(drill, [...(shown.get(drill) ?? []), result]);
  if (write && run === times) writeReport(DRILLS, shown);
  const verdict = result.faults.length === 0 ? 'passed' : `FAULTS ${result.faults.join('; ')}`;
  const { answers, refused, failedForMs, afterHealMs, slowestMs } = result;
  const seconds = (ms = 0) => `${(ms / 1_000).toFixed(1)} s`;
  process.stdout.write(
    `${drill.name} ${run}/${times}: ${verdict}; ${answers} answers, ${refused} refused, for ${seconds(failedForMs)}, ${seconds(afterHealMs)} after it was mended, slowest ${seconds(slowestMs)}\n`,
  );
  for (const reason of result.reasons) process.stdout.write(`    ${reason}\n`);
});
const failed = [...results.values()].flat().some(({ faults }) => faults.length > 0);
process.exit(failed ? 1 : 0);
