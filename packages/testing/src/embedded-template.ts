/**
 * Embedded databases to copy. Making a cluster takes a second, and a schema another: each is
 * kept in `node_modules/.cache`, and built anew when the migrations change.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedVersion, openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { migrate, readSchema } from '@cls/shared/sql/migrate';

const CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/cls-embedded', import.meta.url),
);
/** Raise it when the building changes here. */
const EDITION = '2';
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** A directory of an embedded database, empty or with a schema. Copy it; do not open it. */
export async function templateDirectory(migrations?: URL): Promise<string> {
  const schema = migrations === undefined ? '' : JSON.stringify(readSchema(migrations));
  const digest = createHash('sha256')
    .update(EDITION + embeddedVersion())
    .update(schema)
    // A schema has tables for the months from its own on.
    .update(new Date().toISOString().slice(0, 7))
    .digest('hex');
  const place = join(CACHE, digest.slice(0, 16));
  if (existsSync(place)) return place;
  const building = `${place}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  if (migrations !== undefined) cpSync(await templateDirectory(), building, { recursive: true });
  const database = await openEmbeddedDatabase(building);
  if (migrations === undefined) await dropSpareDatabases(database);
  else await bringTo(migrations, database);
  await database.close();
  removeOld();
  try {
    renameSync(building, place);
  } catch (error) {
    // Another process was faster, and built the same.
    if (!existsSync(place)) throw error;
    rmSync(building, { recursive: true });
  }
  return place;
}

/** Makes a store, empty or with a schema, where a service or a tool looks for its own. */
export async function makeStore(directory: string, migrations?: URL): Promise<void> {
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  cpSync(await templateDirectory(migrations), directory, { recursive: true });
}

/** Makes the schema, or brings it up to date. */
export async function bringTo(migrations: URL, database: Database): Promise<void> {
  const { migrations: texts, grants } = readSchema(migrations);
  await migrate(database, texts, grants);
}

/** Two thirds of the files of a new cluster are databases that nobody connects to. */
async function dropSpareDatabases(database: Database): Promise<void> {
  await database.execute('UPDATE pg_database SET datistemplate = false');
  await database.execute('DROP DATABASE template0');
  await database.execute('DROP DATABASE template1');
}

/** Templates of earlier migrations, and what a process left that was ended while it built. */
function removeOld(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
