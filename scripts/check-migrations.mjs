// Checks that the migrations of the next release leave the build of the last one working.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { faultsOf } from './migration-rules.mjs';

const root = resolve(import.meta.dirname, '..');
const PACKAGES = ['auth-server', 'resource-api', 'explorer'];
let faults = 0;
for (const name of PACKAGES) {
  const folder = join(root, 'packages', name);
  const released = Object.values(JSON.parse(readFileSync(join(folder, 'released.json'), 'utf8')));
  const files = readdirSync(join(folder, 'migrations'))
    .filter((file) => Number(file.slice(0, 4)) > Math.max(...released))
    .sort();
  const tables = new Map();
  for (const file of files) {
    const sql = readFileSync(join(folder, 'migrations', file), 'utf8');
    for (const fault of faultsOf(sql, tables)) {
      process.stderr.write(`packages/${name}/migrations/${file}: ${fault}\n`);
      faults += 1;
    }
  }
}
if (faults > 0) process.exit(1);
