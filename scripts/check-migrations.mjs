// Checks that the migrations of the next release leave the build of the last one working.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { faultsOf } from './migration-rules.mjs';

const root = resolve(import.meta.dirname, '..');
const PACKAGES = ['auth-server', 'resource-api', 'explorer'];
/** For migrations that databases had already when their rule came: a text that was applied never changes. */
const REASONS = {
  'auth-server/0021-audit-boundary.sql':
    '-- contract: 0.4.0 writes events of now, which are a month or more before the boundary; 0023 drops it',
  'resource-api/0036-one-question-policies.sql':
    '-- contract: 0.4.0 sees the same rows as before: the policies ask the same, in another order',
};
let faults = 0;
for (const name of PACKAGES) {
  const folder = join(root, 'packages', name);
  const released = Object.values(JSON.parse(readFileSync(join(folder, 'released.json'), 'utf8')));
  const files = readdirSync(join(folder, 'migrations'))
    .sort()
    .slice(Math.max(...released));
  const tables = new Map();
  for (const file of files) {
    const text = readFileSync(join(folder, 'migrations', file), 'utf8');
    const sql = `${REASONS[`${name}/${file}`] ?? ''}\n${text}`;
    for (const fault of faultsOf(sql, tables)) {
      process.stderr.write(`packages/${name}/migrations/${file}: ${fault}\n`);
      faults += 1;
    }
  }
}
if (faults > 0) process.exit(1);
