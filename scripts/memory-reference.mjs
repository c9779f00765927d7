// Writes resource-api's part of ADR 6 from the register of its memories; `--check` fails when it differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOKKEEPING, CACHES } from '../packages/resource-api/dist/src/memory/register.js';
import { root } from './bootstrap.mjs';

const name = 'docs/reasons/adr/0006-what-is-remembered.md';
const file = join(root, name);
const before = readFileSync(file, 'utf8');
const [start, end] = ['**resource-api**', '**auth-server**'].map((part) => before.indexOf(part));
const text = `${before.slice(0, start)}**resource-api**, names below \`packages/resource-api/src\`, from \`memory/register.ts\` by \`npm run docs\`. The last column comes besides the bound: the entry that was used the longest ago makes room.

${table(CACHES)}

No caches, but what limits count and which entries of caches have ended:

${table(BOOKKEEPING)}

${before.slice(end)}`;

if (process.argv.includes('--check')) {
  if (before !== text) {
    process.stderr.write(`${name} is out of date: npm run docs\n`);
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}

function table(memories) {
  const rows = Object.entries(memories).map(([memory, { holds, by, ends, ...bounds }]) => {
    const files = by.map((one) => `\`${one}\``).join(', ');
    return `| \`${memory}\` | ${holds} | ${files} | ${mostOf(bounds)} | ${ends} |`;
  });
  return `| memory | holds | by | at most | ends with |\n|---|---|---|---|---|\n${rows.join('\n')}`;
}

function mostOf({ entries, size }) {
  const kibibytes = size && Math.ceil((size.most * (size.bytes ?? 1)) / 2 ** 10);
  return [
    ...(entries === undefined ? [] : [`${entries.toLocaleString('en')} entries`]),
    ...(size?.bytes === undefined ? [] : [`${size.most.toLocaleString('en')} ${size.unit}`]),
    ...(size === undefined ? [] : [bytesOf(kibibytes)]),
  ].join(', ');
}

function bytesOf(kibibytes) {
  return kibibytes < 1_024 ? `${kibibytes} KiB` : `${Math.ceil(kibibytes / 1_024)} MiB`;
}
