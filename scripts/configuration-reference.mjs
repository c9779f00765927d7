// Writes docs/reference/configuration.md from what the services read; `--check` fails when it differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const file = join(root, 'docs', 'reference', 'configuration.md');
const services = ['auth-server', 'resource-api', 'explorer'];

const sections = await Promise.all(
  services.map(async (service) => {
    const config = await import(`../packages/${service}/dist/src/config.js`);
    return section(service, config.describeConfig());
  }),
);
const text = `# Configuration

Environment variables only. A variable marked *secret* may also come as \`NAME_FILE\`, the path of a file that holds the value. An empty variable counts as not set. All faults are reported at once, by name, without their values. This page is made from the code by \`scripts/configuration-reference.mjs\`.

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

function section(service, variables) {
  const rows = variables.map(({ name, about, expected, fallback, secret }) => {
    const value = fallback === undefined ? '**required**' : fallback;
    return `| \`${name}\`${secret ? ' *secret*' : ''} | ${about} | ${expected} | ${value} |`;
  });
  return `## ${service}\n\n| variable | decides | expected | default |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}
