// `npm run contract check`: compares each version's contract with its last release and with the next
// version, by the six rules (docs/reference/contract-gate.md). Exits 1 when a change needs a new version, or
// when a version does not declare a change.
//   --json           one JSON document on stdout
//   --folder FOLDER  reads vN.json, released/vN.json and changes.json ({ "v2": [ … ] }) there
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkVersions } from '../packages/contract-gate/dist/src/check-versions.js';
import { reportText } from '../packages/contract-gate/dist/src/report.js';
import { root } from './bootstrap.mjs';

const USAGE = 'usage: npm run contract check -- [--json] [--folder FOLDER]\n';
const { json, folder } = wordsOrUsage();

const versions = folder === undefined ? await versionsOfApp() : versionsIn(folder);
const faults = checkVersions(versions);
if (json) {
  process.stdout.write(
    `${JSON.stringify({ versions: versions.map(({ id }) => id), faults }, null, 2)}\n`,
  );
} else {
  for (const { message, findings } of faults) {
    process.stderr.write(`${message}\n`);
    if (findings.length > 0) process.stderr.write(`\n${reportText(findings)}\n\n`);
  }
  const ids = versions.map(({ id }) => id).join(', ');
  if (faults.length === 0) process.stdout.write(`${ids}: nothing needs a new version\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;

/** What the code declares now, whether or not its frozen copy was written again. */
async function versionsOfApp() {
  const { contracts } = await import('../packages/resource-api/dist/src/contracts.js');
  const { RELEASES } = await import('../packages/resource-api/dist/src/versions/releases.js');
  const released = join(root, 'packages', 'resource-api', 'contracts', 'released');
  return contracts().map(({ id, document }) => ({
    id,
    declared: JSON.parse(JSON.stringify(document)),
    released: documentIn(join(released, `${id}.json`)),
    changes: RELEASES.find((release) => release.id === id)?.changes ?? [],
  }));
}

function versionsIn(given) {
  const changes = documentIn(join(given, 'changes.json')) ?? {};
  return readdirSync(given)
    .flatMap((file) => /^(v[1-9]\d*)\.json$/.exec(file)?.[1] ?? [])
    .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)))
    .map((id) => ({
      id,
      declared: documentIn(join(given, `${id}.json`)),
      released: documentIn(join(given, 'released', `${id}.json`)),
      changes: changes[id] ?? [],
    }));
}

function documentIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    process.stderr.write(`${file}: ${error.message}\n`);
    return process.exit(2);
  }
}

function wordsOrUsage() {
  try {
    const options = { json: { type: 'boolean' }, folder: { type: 'string' } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.join(' ') === 'check') return values;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
  }
  process.stderr.write(USAGE);
  return process.exit(2);
}
