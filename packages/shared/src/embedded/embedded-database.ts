import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Database, DatabaseUnavailable } from '../sql/database.ts';
import { DirectoryUnusable, makeDataDirectory } from './data-directory.ts';
import { type Channel, databaseOver } from './database-rpc.ts';
import { DirectoryInUse, lockDirectory } from './directory-lock.ts';
import { type Holder, interruptibleDatabase } from './interruptible.ts';
import { connectOperator, serveOperator } from './operator-channel.ts';
import type { Program } from './pglite.ts';
import type { WorkerData } from './pglite-worker.ts';

/** A new worker takes about a second: what ends sooner by itself is left to. */
const ABANDONED_MS = 2_000;

export interface EmbeddedOptions {
  readonly statementTimeoutMs?: number;
  readonly patienceMs?: number;
  /** See `makeDataDirectory`; a line on stderr by default, where tools say what is no result. */
  readonly onClosed?: (sentence: string) => void;
}

function toStderr(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/**
 * Opens the embedded database of one service in `directory`, creating it on first use, and holds
 * the directory until `close`. It survives a crash of the process; PGlite never calls fsync, so
 * it does not survive a crash of the machine. With `statementTimeoutMs` a statement of a read-only
 * transaction is ended after that time; with `patienceMs` a statement fails when an operator's command
 * keeps it waiting for longer. Neither holds for the operator's own statements.
 *
 * @throws {DirectoryInUse} when another process holds the directory.
 * @throws {DirectoryUnusable} when it cannot be written or belongs to another user or PGlite version.
 */
export async function openEmbeddedDatabase(
  directory: string,
  options: EmbeddedOptions = {},
): Promise<Database> {
  makeDataDirectory(directory, options.onClosed ?? toStderr);
  const lock = await lockDirectory(directory);
  try {
    await createOnce(directory);
    const open = () => startWorker(join(directory, 'pg'));
    const { service, operator } = await interruptibleDatabase(open, {
      statementTimeoutMs: options.statementTimeoutMs,
      abandonedMs: ABANDONED_MS,
      patienceMs: options.patienceMs,
    });
    serveOperator(lock.server, directory, operator);
    return {
      ...service,
      async close() {
        await service.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A store that a command was to work with is not there, and the command makes none. */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing';

  constructor(directory: string) {
    super(
      `there is no store in ${directory}: check CLS_DATA_DIR, or make a new store there with the command migrate`,
    );
  }
}

/** @throws {StoreMissing} where neither a store is nor a service that is making one. */
export function requireEmbeddedStore(directory: string): void {
  const there = ['pg', 'holder.json'].some((name) => existsSync(join(directory, name)));
  if (!there) throw new StoreMissing(directory);
}

/**
 * For command-line tools: opens the directory, or works through the service that holds it.
 *
 * @throws {DirectoryUnusable} as `openEmbeddedDatabase`.
 * @throws {DatabaseUnavailable} when the holder does not let this user in.
 */
export async function openEmbeddedDatabaseAsOperator(directory: string): Promise<Database> {
  try {
    return await openEmbeddedDatabase(directory);
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    return connectOperator(directory);
  }
}

/**
 * The first start makes the cluster beside its final place and moves it there when it is whole,
 * so that a process killed meanwhile leaves nothing that the next start would trust.
 */
async function createOnce(directory: string): Promise<void> {
  const place = join(directory, 'pg');
  const versionFile = join(directory, 'pglite-version');
  const version = embeddedVersion();
  if (existsSync(place)) {
    const found = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'unknown';
    if (minor(found) !== minor(version)) {
      throw new DirectoryUnusable(
        `${directory} was made by PGlite ${found} and this is ${version}; start with an empty data directory and load the data again`,
      );
    }
    return;
  }
  const building = join(directory, 'pg.building');
  rmSync(building, { recursive: true, force: true });
  const { database } = await startWorker(building);
  await database.close();
  writeFileSync(versionFile, `${version}\n`);
  renameSync(building, place);
}

/** Node's compiler; its types come with those of browsers, which are left out. */
const { WebAssembly } = globalThis as typeof globalThis & {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<Program> };
};
let program: Promise<Program> | undefined;

/**
 * PGlite's program, compiled once for a process. Workers share its machine code, which saves each of
 * them half a second of compiling.
 */
function compiledProgram(): Promise<Program> {
  program ??= WebAssembly.compile(readFileSync(join(pgliteFolder(), 'dist', 'pglite.wasm')));
  return program;
}

async function startWorker(dataDir: string): Promise<Holder> {
  const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
    workerData: { dataDir, program: await compiledProgram() } satisfies WorkerData,
    stderr: false,
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (cause: Partial<Error>) => {
      // What its file system reports, such as a full disk, has a number alone.
      const why = cause.message ?? 'its files cannot be written: is there room on the disk?';
      const message = `the embedded database in ${dataDir} does not open: ${why}`;
      reject(new DatabaseUnavailable(message, { cause }));
    });
    worker.once('exit', () => reject(new DatabaseUnavailable(`${dataDir} did not open`)));
  });
  worker.on('error', () => undefined); // `exit` follows and ends every waiting call.
  const channel: Channel = {
    send: worker.postMessage.bind(worker),
    onMessage: (handle) => worker.on('message', handle),
    onClose: (handle) => {
      exited.then(handle);
    },
    close: async () => {
      worker.postMessage('close');
      await exited;
    },
  };
  return {
    database: databaseOver(channel),
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/** Which PGlite this is, such as `0.5.16`: its data format may change with the minor version. */
export function embeddedVersion(): string {
  const manifest = join(pgliteFolder(), 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function pgliteFolder(): string {
  const require = createRequire(import.meta.url);
  return join(require.resolve('@electric-sql/pglite'), '..', '..');
}

/** PGlite keeps its data format within a minor version: `0.5` of `0.5.16`. */
function minor(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
