import type { Sql, Transaction } from '../sql/database.ts';

/** A value in the server's text, from which the column's type reads the same value again. */
export type Cell = string | null;

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Numbers come from a sequence. */
  readonly identity: boolean;
}

const BATCH = 1_000;
const HISTORY = ['schema_migration', 'schema_step'];

/** The tables of the session's schema without their partitions, in the order of their names. */
export async function tablesOf(sql: Sql, leftOut: readonly string[]): Promise<readonly Table[]> {
  return sql.query<Table>(
    `SELECT c.relname AS name,
       (SELECT json_agg(json_build_object('name', a.attname,
            'type', format_type(a.atttypid, a.atttypmod), 'identity', a.attidentity <> '')
          ORDER BY a.attnum)
        FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       ) AS columns,
       coalesce((SELECT json_agg(a.attname ORDER BY k.place)
        FROM pg_constraint p CROSS JOIN LATERAL unnest(p.conkey) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
        WHERE p.conrelid = c.oid AND p.contype = 'p'), '[]') AS key
     FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition AND c.relname <> ALL ($1::text[])
     ORDER BY c.relname COLLATE "C"`,
    [[...HISTORY, ...leftOut]],
  );
}

/** Every row of a table, batch by batch, in the order of its key. */
export async function readTable(
  transaction: Transaction,
  { name, columns, key }: Table,
  receive: (rows: readonly (readonly Cell[])[]) => Promise<void>,
): Promise<void> {
  const cells = columns.map((column) => `${quoted(column.name)}::text`).join(', ');
  const order = key.length === 0 ? '' : ` ORDER BY ${key.map(quoted).join(', ')}`;
  await transaction.execute(
    `DECLARE table_rows NO SCROLL CURSOR FOR
       SELECT ARRAY[${cells}] AS cells FROM ${quoted(name)}${order}`,
  );
  for (;;) {
    const rows = await transaction.query<{ cells: readonly Cell[] }>(
      `FETCH ${BATCH} FROM table_rows`,
    );
    if (rows.length === 0) break;
    await receive(rows.map((row) => row.cells));
  }
  await transaction.execute('CLOSE table_rows');
}

/** The first table that has a row; undefined where all are empty. */
export async function firstFilled(
  transaction: Transaction,
  tables: readonly Table[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    const rows = await transaction.query(`SELECT FROM ${quoted(name)} LIMIT 1`);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/**
 * Switches the tables' triggers off and puts their foreign keys off while `load` inserts rows: what
 * the triggers would make is among the rows. Afterwards the keys are checked, and all is as before.
 */
export async function withoutTriggers(
  transaction: Transaction,
  load: () => Promise<void>,
): Promise<void> {
  const triggers = await transaction.query<{ off: string; on: string }>(
    `SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', r.relname, t.tgname) AS off,
       format('ALTER TABLE %I ENABLE %s TRIGGER %I', r.relname,
         CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' WHEN 'R' THEN 'REPLICA' ELSE '' END, t.tgname) AS on
     FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid
     WHERE r.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
       AND t.tgenabled <> 'D' AND t.tgparentid = 0`,
  );
  const keys = await transaction.query<{ off: string; on: string }>(
    `SELECT format('ALTER TABLE %I ALTER CONSTRAINT %I DEFERRABLE INITIALLY DEFERRED',
         r.relname, c.conname) AS off,
       format('ALTER TABLE %I ALTER CONSTRAINT %I NOT DEFERRABLE', r.relname, c.conname) AS on
     FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
     WHERE c.connamespace = current_schema()::regnamespace AND c.contype = 'f'
       AND NOT c.condeferrable AND c.conparentid = 0`,
  );
  const changes = [...triggers, ...keys];
  await transaction.execute(changes.map(({ off }) => `${off};`).join('\n'));
  await load();
  await transaction.execute('SET CONSTRAINTS ALL IMMEDIATE');
  await transaction.execute(changes.map(({ on }) => `${on};`).join('\n'));
}

/** Rows as `readTable` gave them. */
export async function insertRows(
  transaction: Transaction,
  { name, columns }: Table,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH);
    const names = columns.map((column) => quoted(column.name)).join(', ');
    const values = columns.map(({ type }, n) => `v.c${n}::${type}`).join(', ');
    const given = columns.map((_, n) => `$${n + 1}::text[]`).join(', ');
    const aliases = columns.map((_, n) => `c${n}`).join(', ');
    await transaction.query(
      `INSERT INTO ${quoted(name)} (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${values} FROM unnest(${given}) AS v(${aliases})`,
      columns.map((_, n) => batch.map((row) => row[n] ?? null)),
    );
  }
}

/** The next number of each table comes after those that it has. */
export async function advanceSequences(
  transaction: Transaction,
  tables: readonly Table[],
): Promise<void> {
  for (const { name, columns } of tables) {
    for (const column of columns.filter(({ identity }) => identity)) {
      await transaction.query(
        `SELECT setval(pg_get_serial_sequence($1, $2), newest)
         FROM (SELECT max(${quoted(column.name)}) AS newest FROM ${quoted(name)}) t
         WHERE newest IS NOT NULL`,
        [quoted(name), column.name],
      );
    }
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
