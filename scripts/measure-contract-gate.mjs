// Measures the contract gate on a folder of labelled pairs of documents, outside the project:
//   node scripts/measure-contract-gate.mjs FOLDER
// FOLDER/labels.json: { pairs: [{ id, dir, label: { incompatible, rules, accept, needs_behaviour_test } }] }
// with old.yaml and new.yaml in each `dir`. Exits 1 when the rates that we promise are missed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareContracts } from '../packages/contract-gate/dist/src/compare-contracts.js';
import { readDocument } from '../packages/contract-gate/dist/src/read-document.js';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/measure-contract-gate.mjs FOLDER\n');
  process.exit(2);
}
const verbose = process.argv.includes('--verbose');
const { pairs } = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8'));
const rates = new Map();
const falseAlarms = [];
const missed = [];
for (const pair of pairs) {
  const [older, newer] = ['old.yaml', 'new.yaml'].map((file) =>
    readDocument(readFileSync(join(folder, pair.dir, file), 'utf8')),
  );
  const findings = compareContracts(older, newer).filter(({ incompatible }) => incompatible);
  const { incompatible, rules, accept, needs_behaviour_test: invisible } = pair.label;
  const line = `${pair.id}: ${findings.map((one) => `${one.rule} ${one.check} ${one.pointer}`).join('; ') || 'nothing'}`;
  if (verbose) process.stdout.write(`${JSON.stringify(incompatible)} [${accept}] ${line}\n`);
  if (incompatible === false && findings.length > 0) falseAlarms.push(line);
  if (incompatible !== true) continue;
  const right = findings.some(({ rule }) => accept.includes(rule));
  if (!right)
    missed.push(`${invisible ? '(needs a behaviour test) ' : ''}expected ${accept}: ${line}`);
  for (const rule of [...rules, 'all', ...(invisible ? [] : ['all that documents show'])]) {
    const rate = rates.get(rule) ?? { right: 0, of: 0 };
    rates.set(rule, { right: rate.right + Number(right), of: rate.of + 1 });
  }
}
const compatible = pairs.filter(({ label }) => label.incompatible === false).length;
for (const [rule, { right, of }] of [...rates].sort()) {
  process.stdout.write(`${rule}: ${right} of ${of} found (${((100 * right) / of).toFixed(1)} %)\n`);
}
process.stdout.write(`false alarms: ${falseAlarms.length} of ${compatible}\n`);
for (const line of [
  ...falseAlarms.map((one) => `false alarm: ${one}`),
  ...missed.map((one) => `missed: ${one}`),
]) {
  process.stdout.write(`  ${line}\n`);
}
const { right, of } = rates.get('all') ?? { right: 0, of: 0 };
const permissions = rates.get('R2') ?? { right: 0, of: 0 };
const held = right >= 0.95 * of && falseAlarms.length <= 2 && permissions.right === permissions.of;
process.exitCode = held ? 0 : 1;
