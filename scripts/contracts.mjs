// Writes the contract of each version from the code (packages/resource-api/contracts/vN.json).
// `--release vN` also copies it to contracts/released/vN.json: what callers were promised.
// `--check` fails when a file is not what the code declares; whether callers may meet that is what
// contract.mjs says before.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contracts, contractText } from '../packages/resource-api/dist/src/contracts.js';
import { root } from './bootstrap.mjs';

const args = process.argv.slice(2);
const released = args.includes('--release') ? args[args.indexOf('--release') + 1] : undefined;
const made = contracts();
const ids = made.map(({ id }) => id);
const below = (file) => join(root, 'packages', 'resource-api', file);

if (args.includes('--release') && !ids.includes(released)) {
  process.stderr.write(`--release: expected one of ${ids.join(', ')}\n`);
  process.exit(1);
}
for (const { id, file, document } of made) {
  const text = contractText(document);
  if (!args.includes('--check')) write(below(file), text);
  else if (textOf(below(file)) !== text) {
    process.stderr.write(`${id} declares another contract than ${file} has: npm run contracts\n`);
    process.exitCode = 1;
  }
  if (id === released) write(below(join('contracts', 'released', `${id}.json`)), text);
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
