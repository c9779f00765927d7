// docs/guides/drills.md: what the drills showed when they were last run. The table is kept as data beside
// it, so that one drill may be run again by itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const docs = resolve(import.meta.dirname, '..', '..', 'docs');
const PAGE = join(docs, 'guides', 'drills.md');
const [BEGIN, END] = ['<!-- drills: made by npm run drills -->', '<!-- drills: end -->'];

/** Replaces the rows of these drills; the others stay, in the order of `drills`. */
export function writeReport(drills, results) {
  const text = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : `# Drills\n\n${BEGIN}\n${END}\n`;
  const [before, rest = ''] = text.split(BEGIN);
  const [table, after = '\n'] = rest.split(END);
  const rows = new Map(
    table
      .split('\n')
      .filter((line) => /^\| `/.test(line))
      .map((line) => [/^\| `([^`]+)`/.exec(line)[1], line]),
  );
  for (const [drill, runs] of results) rows.set(drill.name, rowOf(drill, runs));
  const lines = drills.map(({ name }) => rows.get(name)).filter((line) => line !== undefined);
  const head = [
    '| drill | 503 | last 503 (s) | after mending (s) | slowest answer (s) |',
    '|---|---|---|---|---|',
  ];
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${[...head, ...lines].join('\n')}\n\n${END}${after}`);
}

/** The worst of the runs in each column. */
function rowOf({ name }, runs) {
  const worst = (field) => Math.max(...runs.map((run) => run[field] ?? 0));
  const seconds = (ms) => (ms === 0 ? '–' : (ms / 1_000).toFixed(1));
  const mended = runs.every(({ afterHealMs }) => afterHealMs === undefined);
  const faults = runs.flatMap((run) => run.faults);
  const failure = faults.length === 0 ? '' : ` – **failed**: ${faults.join('; ')}`;
  const cells = [
    ...[`\`${name}\`${failure}`.replaceAll(/\s+/g, ' '), worst('refused')],
    ...[seconds(worst('failedForMs')), mended ? '' : seconds(worst('afterHealMs'))],
    seconds(worst('slowestMs')),
  ];
  return `| ${cells.join(' | ')} |`;
}
