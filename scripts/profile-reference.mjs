// Writes docs/reference/profiles.md from the schema that reads profiles; `--check` fails when it differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const SOURCE = '../packages/resource-api/dist/src/import';
const file = join(root, 'docs', 'reference', 'profiles.md');
const { PROFILE_SECTIONS } = await import(`${SOURCE}/profile/profile.js`);
const { FIELD_MEANINGS } = await import(`${SOURCE}/profile/fields.js`);
const { SANITY_RULES } = await import(`${SOURCE}/sanity.js`);

const OPTIONAL = new Set(['optional', 'default']);

/** `required`, the default, or nothing. */
function fallbackOf(schema) {
  const { type, defaultValue } = schema.def;
  if (type === 'default') return code(defaultValue);
  return OPTIONAL.has(type) ? '' : 'required';
}

/** The values of an enumeration; for others the description says what they are. */
function valuesOf(schema) {
  const { innerType, entries } = schema.def;
  if (innerType !== undefined) return valuesOf(innerType);
  return entries === undefined ? '' : Object.values(entries).map(code).join(', ');
}

function code(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '|' ? '`\\|`' : `\`${text}\``;
}

function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

const sections = Object.entries(PROFILE_SECTIONS).map(([title, settings]) => {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const values = valuesOf(schema);
    const about = values === '' ? schema.description : `${values}. ${schema.description}`;
    return [`\`${name}\``, fallbackOf(schema), about];
  });
  return `## ${title}\n\n${table(['setting', 'default', 'meaning'], rows)}`;
});
const fields = Object.entries(FIELD_MEANINGS).map(([field, meaning]) => [`\`${field}\``, meaning]);
const checks = Object.entries(SANITY_RULES).map(([check, { message, severity, threshold }]) => [
  `\`${check}\``,
  message,
  severity === 'refuse' ? 'refused' : 'warning',
  threshold === undefined ? '' : `${threshold}`,
]);

const text = `# Profiles

A profile says how one sender's statement is read, in YAML or JSON. It names what the file has, and no more. \`cls-api import inspect FILE --out profile.yaml\` proposes one; [load-your-loans.md](../guides/load-your-loans.md) shows the way. \`npm run docs\` makes this page from the schema.

A setting whose value begins with \`?\` is an open question. A profile with one is refused, and the refusal lists all of them.

Required are: a column that identifies a loan (\`loanNumber\`, or \`dealNumber\` and \`facilityNumber\`); the outstanding principal (\`due\`, or a sum in \`derive\`); the date (\`asOf\`, or \`--as-of\`); the currency (a column, or \`currency\`).

${sections.join('\n\n')}

## Fields

What \`columns\` can name. Amounts are in the currency of the row.

${table(['field', 'holds'], fields)}

## Sanity checks

These checks run before anything is applied. \`--accept CHECK=REASON\` applies a file that a check refuses.

${table(['check', 'finds', 'by default', 'threshold'], checks)}
`;

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${file} is not what the code says: run npm run docs\n`);
    process.exit(1);
  }
} else writeFileSync(file, text);
