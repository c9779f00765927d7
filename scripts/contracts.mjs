// Writes the contract of each version from the code (packages/resource-api/contracts/vN.json);
// `--check` fails when a file differs. `--release vN` also copies it to contracts/released/vN.json:
// what callers were promised, which the contract gate compares with.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contracts, contractText } from '../packages/resource-api/dist/src/contracts.js';
import { root } from './bootstrap.mjs';

const below = (file) => join(root, 'packages', 'resource-api', file);
const check = process.argv.includes('--check');
const [, released] = process.argv.slice(process.argv.indexOf('--release'));
const made = contracts();

if (process.argv.includes('--release') && !made.some(({ id }) => id === released)) {
  process.stderr.write(`--release: expected one of ${made.map(({ id }) => id).join(', ')}\n`);
  process.exit(1);
}
for (const { id, file, document } of made) {
  const text = contractText(document);
  if (!check) write(below(file), text);
  else if (textOf(below(file)) !== text) {
    process.stderr.write(
      `packages/resource-api/${file} is not what ${id} declares. Run npm run contracts; the contract check says which changes need a new version.\n`,
    );
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
  } catch {
    return undefined;
  }
}
