import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Sql } from '@cls/shared/sql/database';
import {
  type AppliedMigration,
  appliedMigrations,
  knownMigrations,
  migrate,
  readMigrations,
} from '@cls/shared/sql/migrate';
import { MIGRATIONS } from '../../database/migrations.ts';
import { type SchemaObject, schemaObjects } from '../../database/schema-objects.ts';
import { BREAKS_LISTED, type Break, type CheckResult } from '../reconciler.ts';

const SHOWN_CHARS = 200;

/** What `grants.sql` adds where the service's role exists: the service itself works with every deal. */
const SERVICE_POLICY = '*permissivecls_api_servicetruechecktrue';

/**
 * Compares the schema with what this build's migrations make. The expectation comes from outside
 * the database: the migrations run in an embedded database that is thrown away.
 */
export async function checkSchema(sql: Sql): Promise<CheckResult> {
  const expected = await expectedSchema();
  const found = await schemaObjects(sql);
  const breaks = [...historyBreaks(await appliedMigrations(sql)), ...differences(found, expected)];
  return {
    invariant: 'schema_as_migrated',
    states: 'tables, constraints, triggers, functions and policies are as the migrations make them',
    checked: expected.length,
    explained: 0,
    breakCount: breaks.length,
    breaks: breaks.slice(0, BREAKS_LISTED),
  };
}

let migrated: Promise<readonly SchemaObject[]> | undefined;

/** What the migrations make: worked out once for a process. */
export function expectedSchema(): Promise<readonly SchemaObject[]> {
  migrated ??= (async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cls-schema-'));
    try {
      const scratch = await openEmbeddedDatabase(join(directory, 'database'));
      try {
        await migrate(scratch, readMigrations(MIGRATIONS));
        return await schemaObjects(scratch);
      } finally {
        await scratch.close();
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  })();
  migrated.catch(() => undefined); // Who began it may fail before it waits for it.
  return migrated;
}

type Applied = Pick<AppliedMigration, 'name' | 'checksum'>;

function historyBreaks(applied: readonly Applied[]): readonly Break[] {
  const asObjects = (migrations: readonly Applied[]) =>
    migrations.map(({ name, checksum }) => ({ kind: 'migration', name, definition: checksum }));
  return differences(asObjects(applied), asObjects(knownMigrations(readMigrations(MIGRATIONS))));
}

function differences(
  found: readonly SchemaObject[],
  expected: readonly SchemaObject[],
): readonly Break[] {
  const key = ({ kind, name }: SchemaObject) => `${kind} ${name}`;
  const there = new Map(found.map((object) => [key(object), object]));
  const wanted = new Set(expected.map(key));
  const changed = expected.flatMap((object): readonly Break[] => {
    const now = there.get(key(object));
    if (now?.definition === object.definition) return [];
    const [is, should] = shown(now?.definition, object.definition);
    return [{ kind: object.kind, name: object.name, found: is, expected: should }];
  });
  const more = found.filter((object) => !wanted.has(key(object)) && matters(object, expected));
  const added = more.map(({ kind, name, definition }) => {
    return { kind, name, found: definition.slice(0, SHOWN_CHARS), expected: 'no such object' };
  });
  return [...changed, ...added];
}

/** Tables, views, functions and plain indexes of an operator's own do not touch the ledger. */
function matters(
  { kind, name, definition }: SchemaObject,
  expected: readonly SchemaObject[],
): boolean {
  if (kind === 'policy' && name.endsWith('.service') && definition === SERVICE_POLICY) return false;
  if (kind === 'migration') return true;
  if (kind === 'function' || kind === 'type' || kind === 'view') {
    const [bare] = name.split('(');
    return expected.some((one) => one.kind === kind && one.name.split('(')[0] === bare);
  }
  if (kind === 'index' && !definition.startsWith('CREATEUNIQUE')) return false;
  const [table] = name.split('.');
  return expected.some((one) => one.kind === 'row security' && one.name === table);
}

/** From a little before where the two part. */
function shown(found: string | undefined, expected: string): readonly [string, string] {
  if (found === undefined) return ['missing', expected.slice(0, SHOWN_CHARS)];
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 40);
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_CHARS)}`.replaceAll('\n', ' ');
  return [part(found), part(expected)];
}
