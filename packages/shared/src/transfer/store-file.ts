import { createHash } from 'node:crypto';
import type { Database, Sql, Transaction } from '../sql/database.ts';
import { type AppliedMigration, appliedMigrations } from '../sql/migrate.ts';
import {
  advanceSequences,
  type Cell,
  firstFilled,
  insertRows,
  quoted,
  readTable,
  type Table,
  tablesOf,
  withoutTriggers,
} from './table-copy.ts';

const FORMAT = 1;

/** The file is no export, was changed, or does not fit the store; nothing was written. */
export class StoreFileRefused extends Error {
  override readonly name = 'StoreFileRefused';
}

/** A row by its columns, in the server's text. */
export type Row = Record<string, Cell>;

/** What a service's file is. */
export interface StoreKind {
  /** Of which tool the file is: another one's is refused. */
  readonly service: string;
  /** Tables that stay: what is of the running service, and no record. */
  readonly leftOut: readonly string[];
  /** Tables with a row that the migrations made: the file's takes its place. */
  readonly seeded?: readonly string[];
  /**
   * Migrations that changed no row, and added at most tables, and columns that may be empty: a file from
   * before the last of them fits.
   */
  readonly harmless?: readonly string[];
}

export interface StoreSummary {
  readonly rows: number;
  /** Rows of each table that has some. */
  readonly tables: Readonly<Record<string, number>>;
}

interface Header extends Readonly<Record<string, unknown>> {
  readonly object: 'cls-store';
  readonly format: number;
  readonly service: string;
  /** The last migration, and a digest of all of them. */
  readonly migration: string;
  readonly schema: string;
  /** What the reader needs besides rows. */
  readonly extra: Readonly<Record<string, string>>;
}

/**
 * Writes every row as of one moment.
 *
 * @param change a row as it goes into the file.
 */
export function exportStore(
  database: Database,
  { service, leftOut }: StoreKind,
  write: (text: string) => Promise<void>,
  { extra = async () => ({}), change = (_, row) => row }: ExportChanges = {},
): Promise<StoreSummary> {
  return database.transaction(
    async (transaction) => {
      const digest = createHash('sha256');
      const send = async (lines: readonly unknown[]) => {
        const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
        digest.update(text);
        await write(text);
      };
      const schema = schemaOf(await appliedMigrations(transaction));
      const header = { object: 'cls-store', format: FORMAT, service, ...schema };
      await send([{ ...header, extra: await extra(transaction) }]);
      const counts: Record<string, number> = {};
      for (const table of await tablesOf(transaction, leftOut)) {
        const names = table.columns.map(({ name }) => name);
        await send([{ table: table.name, columns: names }]);
        await readTable(transaction, table, async (rows) => {
          counts[table.name] = (counts[table.name] ?? 0) + rows.length;
          await send(rows.map((cells) => toCells(names, change(table.name, toRow(names, cells)))));
        });
      }
      const summary = { rows: sum(counts), tables: counts };
      await send([{ summary: { ...summary, sha256: digest.copy().digest('hex') } }]);
      return summary;
    },
    // A policy that hides rows from this role must not make the file smaller without a word.
    { isolation: 'repeatable read', readOnly: true, setup: 'SET LOCAL row_security = off;' },
  );
}

export interface ExportChanges {
  /** What the reader needs besides rows. */
  readonly extra?: (transaction: Transaction) => Promise<Readonly<Record<string, string>>>;
  readonly change?: (table: string, row: Row) => Row;
}

export interface ImportChanges {
  /** Begins with what the header brings; answers how a row of the file goes into the store. */
  readonly begin?: (
    transaction: Transaction,
    extra: Readonly<Record<string, string>>,
  ) => Promise<(table: string, row: Row) => Row>;
  /** The last word, when all is there: throws when the store must not be kept. */
  readonly check?: (transaction: Transaction) => Promise<void>;
}

/**
 * Fills an empty store of the same tables, in one transaction, as the role that owns the tables.
 *
 * @param lines of the file, without their ends.
 * @throws {StoreFileRefused}
 */
export function importStore(
  database: Database,
  kind: StoreKind,
  lines: AsyncIterable<string>,
  { begin, check }: ImportChanges = {},
): Promise<StoreSummary> {
  return database.transaction(
    async (transaction) => {
      const source = parsed(lines);
      const header = headerOf((await source.next()).value?.content, kind.service);
      await requireSchema(transaction, header, kind.harmless);
      const tables = await tablesOf(transaction, kind.leftOut);
      const seeded = kind.seeded ?? [];
      const filled = await firstFilled(
        transaction,
        tables.filter(({ name }) => !seeded.includes(name)),
      );
      if (filled !== undefined) {
        throw new StoreFileRefused(
          `the store is not empty: the table ${filled} has rows. Import into a new database, before a service uses it`,
        );
      }
      let summary: StoreSummary | undefined;
      await withoutTriggers(transaction, async () => {
        for (const name of seeded) await transaction.execute(`DELETE FROM ${quoted(name)}`);
        const change = (await begin?.(transaction, header.extra)) ?? ((_, row) => row);
        summary = await load(transaction, tables, source, change);
      });
      if (summary === undefined) throw new StoreFileRefused('the file is cut: it has no summary');
      await advanceSequences(transaction, tables);
      await check?.(transaction);
      return summary;
    },
    { setup: "SET LOCAL row_security = off;SET LOCAL work_mem = '64MB';" },
  );
}

const ROWS_AT_ONCE = 1_000;

async function load(
  transaction: Transaction,
  tables: readonly Table[],
  source: AsyncIterable<Line>,
  change: (table: string, row: Row) => Row,
): Promise<StoreSummary> {
  const counts: Record<string, number> = {};
  let table: Table | undefined;
  let rows: Cell[][] = [];
  let read: StoreSummary | undefined;
  const flush = async () => {
    if (table !== undefined) await insertRows(transaction, table, rows);
    rows = [];
  };
  for await (const { content, digestBefore } of source) {
    if (read !== undefined) {
      throw new StoreFileRefused('the file was changed: it goes on after its summary');
    }
    if (Array.isArray(content)) {
      if (table === undefined) throw new StoreFileRefused('the file has a row before its table');
      const { name, columns } = table;
      const names = columns.map((column) => column.name);
      counts[name] = (counts[name] ?? 0) + 1;
      rows.push(toCells(names, change(name, toRow(names, content))));
      if (rows.length === ROWS_AT_ONCE) await flush();
      continue;
    }
    await flush();
    const { summary } = content as { summary?: StoreSummary & { sha256: string } };
    if (summary !== undefined) {
      if (summary.sha256 !== digestBefore || summary.rows !== sum(counts)) {
        throw new StoreFileRefused('the file was changed: its rows are not those of its summary');
      }
      read = { rows: summary.rows, tables: counts };
      continue;
    }
    table = tableNamed(tables, content as { table: string; columns: readonly string[] });
  }
  if (read === undefined) throw new StoreFileRefused('the file is cut: it has no summary');
  return read;
}

function tableNamed(
  tables: readonly Table[],
  { table: name, columns }: { readonly table: string; readonly columns: readonly string[] },
): Table {
  const table = tables.find((one) => one.name === name);
  const filled = table?.columns.filter((column) => columns?.includes(column.name)) ?? [];
  if (table === undefined || filled.map((column) => column.name).join() !== columns?.join()) {
    throw new StoreFileRefused(`the store has no table ${name} with the columns of the file`);
  }
  // Columns that the store alone has came with a migration after the file.
  return { ...table, columns: filled };
}

interface Line {
  readonly content: unknown;
  /** SHA-256 of all lines before. */
  readonly digestBefore: string;
}

async function* parsed(lines: AsyncIterable<string>): AsyncGenerator<Line, undefined> {
  const digest = createHash('sha256');
  for await (const line of lines) {
    // Of a summary alone: a digest for each row would be most of the work.
    const digestBefore = line.startsWith('{"summary"') ? digest.copy().digest('hex') : '';
    digest.update(`${line}\n`);
    try {
      yield { content: JSON.parse(line), digestBefore };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new StoreFileRefused('the file is cut or was changed: a line is not JSON');
    }
  }
}

function headerOf(content: unknown, service: string): Header {
  const header = content as Partial<Header> | undefined | null;
  if (header?.object !== 'cls-store' || header.service !== service) {
    throw new StoreFileRefused(`the file was not written by ${service} export`);
  }
  if (header.format !== FORMAT) {
    throw new StoreFileRefused(`the file has format ${header.format}; this build reads ${FORMAT}`);
  }
  return header as Header;
}

async function requireSchema(
  sql: Sql,
  header: Header,
  harmless: readonly string[] = [],
): Promise<void> {
  const applied = await appliedMigrations(sql);
  const needed = applied.findLastIndex(({ name }) => !harmless.includes(name)) + 1;
  for (let count = applied.length; count >= needed; count -= 1) {
    if (header.schema === schemaOf(applied.slice(0, count)).schema) return;
  }
  throw new StoreFileRefused(
    `the file has the schema of ${header.migration}, and the store that of ${schemaOf(applied).migration}: bring both to the same build with migrate, and export again`,
  );
}

function schemaOf(applied: readonly AppliedMigration[]): Pick<Header, 'migration' | 'schema'> {
  const text = applied.map(({ name, checksum }) => `${name} ${checksum}\n`).join('');
  const schema = createHash('sha256').update(text).digest('hex');
  return { migration: applied.at(-1)?.name ?? 'none', schema };
}

function toRow(names: readonly string[], cells: readonly Cell[]): Row {
  return Object.fromEntries(names.map((name, n) => [name, cells[n] ?? null]));
}

function toCells(names: readonly string[], row: Row): Cell[] {
  return names.map((name) => row[name] ?? null);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
