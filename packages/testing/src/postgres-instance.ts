/**
 * A PostgreSQL of the caller's own: to restart, kill, freeze and fill, and to stream to standbys.
 * Suites that only need databases share `postgresServer`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  endWithTests,
  eventually,
  freePort,
  postgresBinDir,
  postgresUser,
  temporaryDirectory,
  untilListening,
} from './servers.ts';

export interface PostgresInstance {
  readonly port: number;
  /** Of the server; its sessions are processes below it. */
  readonly pid: number | undefined;
  /** Of a database, as a role that is not a superuser and owns what `createDatabase` made. */
  url(database: string, role?: string): string;
  createDatabase(name: string): Promise<void>;
  /** One statement as a superuser. */
  query<Row = Record<string, unknown>>(sql: string, database?: string): Promise<Row[]>;
  /** `fast` ends sessions, as an administrator does; `crash` ends all of its processes at once. */
  stop(how: 'fast' | 'crash'): Promise<void>;
  /** On the same data and port. */
  start(): Promise<void>;
  /** No process of it runs until `thaw`; connections stay open. */
  freeze(): void;
  thaw(): void;
  /** A standby that streams from this one. */
  startStandby(settings?: readonly string[]): Promise<PostgresInstance>;
  /** Makes a standby a primary. */
  promote(): Promise<void>;
  /** Whether its process runs. */
  readonly running: boolean;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface InstanceOptions {
  /** As `name=value`. */
  readonly settings?: readonly string[];
  /** Where its data is, or will be; in a directory of its own without it. */
  readonly directory?: string;
}

const SETTINGS = ['fsync=off', 'wal_level=replica', 'max_connections=120', 'hot_standby=on'];

/** @returns undefined where PostgreSQL is not installed. */
export async function startPostgresInstance(
  options: InstanceOptions = {},
): Promise<PostgresInstance | undefined> {
  const binDir = postgresBinDir();
  if (binDir === undefined) return undefined;
  const directory = options.directory ?? temporaryDirectory('cls-postgres-');
  const data = join(directory, 'data');
  if (existsSync(data)) return run(binDir, directory, options.settings ?? []);
  const initdb = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(binDir, 'initdb'), ['-D', data, ...initdb], ownedBy(directory));
  const instance = await run(binDir, directory, options.settings ?? []);
  await instance.query('CREATE ROLE cls LOGIN CREATEDB CREATEROLE');
  return instance;
}

/** One statement as a superuser of the server on this port. */
export function queryAt(port: number): PostgresInstance['query'] {
  return async (sql, database = 'postgres') => {
    const address = { host: '127.0.0.1', port, user: 'postgres', database };
    // It is done on a server that was made read-only, too.
    const client = new pg.Client({ ...address, options: '-c default_transaction_read_only=off' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
}

/** How programs of PostgreSQL run here: it refuses to run as root. */
function ownedBy(directory: string) {
  const owner = postgresUser();
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  return { ...owner, stdio: 'ignore' as const, cwd: directory };
}

async function run(
  binDir: string,
  directory: string,
  settings: readonly string[],
): Promise<PostgresInstance> {
  const data = join(directory, 'data');
  const as = ownedBy(directory);
  const port = await freePort();
  const own = [...SETTINGS, `unix_socket_directories=${directory}`, ...settings];
  let child: ChildProcess | undefined;
  let frozen: readonly number[] = [];

  const query = queryAt(port);
  const runs = () => child?.exitCode === null && child.signalCode === null;
  const start = async () => {
    const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`];
    const spawnOnce = () =>
      endWithTests(
        spawn(join(binDir, 'postgres'), [...args, ...own.flatMap((s) => ['-c', s])], as),
      );
    // What a crash left may hold its shared memory for a moment.
    await eventually(async () => {
      if (!runs()) child = spawnOnce();
      await untilListening(port, child as ChildProcess);
      await query('SELECT 1');
    });
  };
  const stop = async (how: 'fast' | 'crash') => {
    const ended = child;
    if (ended === undefined || !runs()) return;
    const exited = once(ended, 'exit');
    if (how === 'fast') ended.kill('SIGINT');
    else for (const pid of pidsOf(ended)) signal(pid, 'SIGKILL');
    await exited;
  };
  await start();
  return {
    port,
    url: (database, role = 'cls') => `postgres://${role}@127.0.0.1:${port}/${database}`,
    async createDatabase(name) {
      await query(`CREATE DATABASE ${name} OWNER cls`);
    },
    query,
    stop,
    start,
    freeze() {
      frozen = pidsOf(child);
      for (const pid of frozen) signal(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen) signal(pid, 'SIGCONT');
      frozen = [];
    },
    async startStandby(standbySettings = []) {
      const place = temporaryDirectory('cls-standby-');
      const copy = ['-D', join(place, 'data'), '-R', '-X', 'stream', '-c', 'fast'];
      const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
      execFileSync(join(binDir, 'pg_basebackup'), [...copy, ...from], ownedBy(place));
      return run(binDir, place, [...settings, ...standbySettings]);
    },
    async promote() {
      const [row] = await query<{ done: boolean }>('SELECT pg_promote(true, 60) AS done');
      if (row?.done !== true) throw new Error('the standby was not promoted within a minute');
    },
    get pid() {
      return child?.pid;
    },
    get running() {
      return runs();
    },
    async remove() {
      await stop('crash');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The server first: it starts no process meanwhile. */
function pidsOf(child: ChildProcess | undefined): readonly number[] {
  const { pid } = child ?? {};
  if (pid === undefined) return [];
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
  return [pid, ...children.filter((text) => text !== '').map(Number)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}
