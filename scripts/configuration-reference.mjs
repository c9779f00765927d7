// Writes docs/reference/configuration.md from what the services read; `--check` fails when it differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const file = join(root, 'docs', 'reference', 'configuration.md');
const services = [
  ['auth-server', 'AUTH_'],
  ['resource-api', 'API_'],
  ['explorer', 'EXPLORER_'],
];
/** Long words of `expected`, in short; the page's introduction says what they mean. */
const SHORTER = [
  [/^a whole number from (\d+) to (\d+)$/, '$1 to $2'],
  [/^one of /, ''],
  ['an absolute http(s) URL without trailing slash, query or fragment', 'base URL'],
  ['32 bytes in base64url (43 characters)', 'key'],
];

const described = await Promise.all(
  services.map(async ([service, prefix]) => {
    const { describeConfig } = await import(`../packages/${service}/dist/src/config.js`);
    return describeConfig().map((variable) => ({
      ...variable,
      service,
      key: keyOf(variable, prefix),
    }));
  }),
);
const isCommon = ({ key }) =>
  described.every((all) => all.some((variable) => variable.key === key));
const common = described[0].filter(isCommon).map(({ key }) => {
  const same = described.map((all) => all.find((variable) => variable.key === key));
  return {
    ...same[0],
    names: [...new Set(same.map(({ name }) => name))],
    fallback: fallbackOf(same),
  };
});
const sections = [
  section('All services', common),
  ...services.map(([service], at) =>
    section(
      service,
      described[at]
        .filter((variable) => !isCommon(variable))
        .map((variable) => ({ ...variable, names: [variable.name] })),
    ),
  ),
];
const text = `# Configuration

Services read environment variables only. An empty variable counts as not set. A variable marked *secret* may also come as \`NAME_FILE\`, the path of a file that holds the value. A service reports all faults at once, by name, without values. \`npm run docs\` makes this page from the code.

A range means a whole number. *Base URL*: an absolute http(s) URL without trailing slash, query or fragment. *Key*: 32 bytes in base64url (43 characters).

\`npm start\` reads \`PORT\` (the gateway's port, default 8080; the services take the next three) and \`CLS_DATA_DIR\`, and sets the addresses of the services itself.

${sections.join('\n')}`;

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write('docs/reference/configuration.md is out of date: npm run docs\n');
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}

/** Variables that say the same of each service, under its own prefix, have one key. */
function keyOf({ name, about, expected, secret }, prefix) {
  const end = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return JSON.stringify([end, about, expected, secret]);
}

function fallbackOf(variables) {
  const values = [...new Set(variables.map(({ fallback }) => fallback))];
  if (values.length === 1) return values[0];
  return variables.map(({ fallback, service }) => `${fallback} (${service})`).join(', ');
}

function section(heading, variables) {
  const rows = variables.map(({ names, about, expected, fallback, secret }) => {
    const value = fallback === undefined ? '**required**' : fallback;
    const name = names.map((one) => `\`${one}\``).join(', ');
    const short = SHORTER.reduce((words, [long, by]) => words.replace(long, by), expected);
    return `| ${name}${secret ? ' *secret*' : ''} | ${about} | ${short} | ${value} |`;
  });
  return `## ${heading}\n\n| variable | decides | expected | default |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}
