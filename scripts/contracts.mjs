// Writes the contract of each version from the code (packages/resource-api/contracts/vN.json).
// `--release vN` also copies it to contracts/released/vN.json: what callers were promised.
// `--check` fails when a file is not what the code declares, and says by which rule that is an
// incompatible change.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compareContracts } from '../packages/contract-gate/dist/src/compare-contracts.js';
import { contracts, contractText } from '../packages/resource-api/dist/src/contracts.js';
import { root } from './bootstrap.mjs';

const below = (file) => join(root, 'packages', 'resource-api', file);
const releasedFile = (id) => below(join('contracts', 'released', `${id}.json`));

/**
 * What to tell a developer whose code declares another contract than the file has: sentences.
 *
 * @param released what callers were promised; undefined: the version is not released yet.
 */
export function whatChanged(id, released, document) {
  const made = JSON.parse(contractText(document));
  const findings = released === undefined ? [] : compareContracts(released, made);
  const broken = findings.filter(({ incompatible }) => incompatible);
  if (broken.length === 0) {
    return [`${id} declares another contract than its file has. Run: npm run contracts`];
  }
  return [
    `${id} is released, and callers would have to change. Leave ${id} as it is, and make this change in a new version (docs/versioning.md, "Add a version"):`,
    ...broken.map(
      ({ rule, operation, pointer, why }) => `  ${rule} ${operation} ${pointer}: ${why}`,
    ),
  ];
}

function run(args) {
  const made = contracts();
  const released = args.includes('--release') ? args[args.indexOf('--release') + 1] : undefined;
  if (args.includes('--release') && !made.some(({ id }) => id === released)) {
    process.stderr.write(`--release: expected one of ${made.map(({ id }) => id).join(', ')}\n`);
    process.exitCode = 1;
    return;
  }
  for (const { id, file, document } of made) {
    const text = contractText(document);
    if (!args.includes('--check')) write(below(file), text);
    else if (textOf(below(file)) !== text) {
      const promised = textOf(releasedFile(id));
      const sentences = whatChanged(id, promised && JSON.parse(promised), document);
      process.stderr.write(`${sentences.join('\n')}\n`);
      process.exitCode = 1;
    }
    if (id === released) write(releasedFile(id), text);
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const isCommand = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isCommand) run(process.argv.slice(2));
