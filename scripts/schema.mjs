// Writes what a fresh database of each service looks like (packages/*/schema.sql), with PostgreSQL's own pg_dump.
// `--check` fails when a file is not what the migrations make.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';
import { readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { root } from './bootstrap.mjs';

const PACKAGES = ['auth-server', 'resource-api', 'explorer'];
const HEAD = `-- What a fresh database looks like, made by \`npm run schema\`. What makes it, with its reasons, is in migrations/.
-- Partitions of days and months are left out.

`;
const ARGS = ['--schema-only', '--no-owner', '--exclude-table=*_20[0-9][0-9]_*'];

const check = process.argv.includes('--check');
for (const name of PACKAGES) {
  const folder = join(root, 'packages', name);
  const file = join(folder, 'schema.sql');
  const text = await schemaOf(new URL(`file://${folder}/migrations/`));
  if (!check) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `the migrations of ${name} make another schema than ${file}: npm run schema\n`,
    );
    process.exitCode = 1;
  }
}
process.exit();

async function schemaOf(migrations) {
  const pg = await PGlite.create({ loadDataDir: await emptyCluster() });
  for (const { sql } of readMigrations(migrations)) await pg.exec(`BEGIN; ${sql}; COMMIT;`);
  const dump = await (await pgDump({ pg, args: ARGS })).text();
  return HEAD + withoutSettings(dump);
}

/** Neither what psql needs to load it, nor a comment above each statement that says what the statement says. */
function withoutSettings(dump) {
  return dump
    .replaceAll(/^--.*\n|^(SET|SELECT pg_catalog\.set_config)\b.*;\n|^\\.*\n/gm, '')
    .replaceAll(/\bpublic\./g, '')
    .replaceAll(/\n{2,}/g, '\n\n')
    .trim()
    .concat('\n');
}
