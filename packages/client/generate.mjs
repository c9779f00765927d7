// Writes src/generated from the contract of the API; `--check` fails where a file would change.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';

const here = import.meta.dirname;
const contract = JSON.parse(readFileSync(join(here, '../resource-api/contracts/v1.json'), 'utf8'));
const HEAD = '// Made by `npm run contracts` from packages/resource-api/contracts/v1.json.\n';
const target = join(here, 'src', 'generated');
const files = {
  'v1.ts': astToString(await openapiTypes(contract)),
  'problem-codes.ts': `/** What the contract promises as \`code\`, over all operations. */
export const CONTRACT_CODES = ${JSON.stringify(codesIn(contract), null, 2)} as const;\n`,
};

for (const [name, text] of Object.entries(files)) {
  const file = join(target, name);
  if (!process.argv.includes('--check')) {
    mkdirSync(target, { recursive: true });
    writeFileSync(file, HEAD + text);
  } else if (readFileSync(file, 'utf8') !== HEAD + text) {
    process.stderr.write(
      `${relative(process.cwd(), file)} is not of this contract: npm run contracts\n`,
    );
    process.exitCode = 1;
  }
}

function codesIn(document) {
  const codes = new Set();
  JSON.stringify(document, (name, value) => {
    if (name === 'x-codes') for (const code of value) codes.add(code);
    return value;
  });
  return [...codes].sort();
}
