// Writes src/generated from the contract of the API, where it is not of this one.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const text = readFileSync(join(here, '../resource-api/contracts/v1.json'), 'utf8');
// The manifest pins the generator.
const makers = [import.meta.filename, join(here, 'package.json')].map((file) => readFileSync(file));
const digest = createHash('sha256').update(text).update(Buffer.concat(makers)).digest('hex');
const HEAD = `// Made by generate.mjs from the contract: ${digest}.\n`;
const target = join(here, 'src', 'generated');
const FILES = { 'v1.ts': typesOf, 'problem-codes.ts': codesOf };

for (const [name, make] of Object.entries(FILES)) {
  const file = join(target, name);
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(HEAD)) continue;
  mkdirSync(target, { recursive: true });
  writeFileSync(file, HEAD + (await make(JSON.parse(text))));
}

async function typesOf(contract) {
  const { default: openapiTypes, astToString } = await import('openapi-typescript');
  return astToString(await openapiTypes(contract));
}

function codesOf(contract) {
  const codes = new Set();
  JSON.stringify(contract, (name, value) => {
    if (name === 'x-codes') for (const code of value) codes.add(code);
    return value;
  });
  const list = JSON.stringify([...codes].sort(), null, 2);
  return `/** What the contract promises as \`code\`, over all operations. */\nexport const CONTRACT_CODES = ${list} as const;\n`;
}
