/**
 * Real servers for tests: the PostgreSQL and Redis that this machine has, each started once per
 * test process on a free port with throw-away data.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { atEndOfFile, sharedByFiles } from './end-of-tests.ts';
import { areServersLeftOut, isEngineLeftOut } from './left-out.ts';

export interface PostgresServer {
  /** URL of a new database, empty or a copy, owned by a role that is not a superuser. */
  createDatabase(template?: string): Promise<string>;
  /** The URL as a superuser, of the database `postgres` or another. */
  adminUrl(database?: string): string;
  /** Runs a script of psql as a superuser, or as `user`. @throws when a statement of it fails. */
  runScript(file: string, user?: string): void;
  /** Stops the server at once, as a crash would, or starts it again on the same data. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface RedisServer {
  readonly url: string;
  readonly process: ChildProcess;
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

let postgres: Promise<PostgresServer | undefined> | undefined;

/** The test process's PostgreSQL, or undefined where none is installed or wanted. */
export function postgresServer(): Promise<PostgresServer | undefined> {
  postgres ??= isEngineLeftOut('postgres')
    ? Promise.resolve(undefined)
    : sharedByFiles(startPostgres);
  return postgres;
}

/** A Redis of the caller's own, or undefined where none is installed. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer | undefined> {
  const binary = findBinary('redis-server');
  if (binary === undefined) return undefined;
  const port = await freePort();
  const directory = temporaryDirectory('cls-redis-');
  const child = endWithTests(
    spawn(
      binary,
      ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...args],
      { stdio: 'ignore' },
    ),
  );
  await untilListening(port, child);
  return { url: `redis://127.0.0.1:${port}`, process: child };
}

/**
 * Keeps this process busy, so that it reads nothing, for so many milliseconds and until the server
 * has answered what was sent before.
 */
export function busyUntilAnswered({ url }: { readonly url: string }, ms: number): void {
  const untilMs = performance.now() + ms;
  const cli = findBinary('redis-cli') ?? 'redis-cli';
  do execFileSync(cli, ['-u', url, 'ping'], { stdio: 'ignore' });
  while (performance.now() < untilMs);
}

export interface RedisCluster {
  readonly url: string;
  readonly masters: readonly RedisServer[];
  readonly replicas: readonly RedisServer[];
}

/** Three masters with a replica each, of the caller's own; undefined where none is installed. */
export async function startRedisCluster(
  args: readonly string[] = [],
): Promise<RedisCluster | undefined> {
  const cli = findBinary('redis-cli');
  if (cli === undefined) return undefined;
  const nodes: RedisServer[] = [];
  while (nodes.length < 6) {
    const bus = ['--cluster-port', `${await freePort()}`];
    const atOnce = ['--repl-diskless-sync-delay', '0'];
    const node = await startRedis(['--cluster-enabled', 'yes', ...bus, ...atOnce, ...args]);
    if (node === undefined) return undefined;
    nodes.push(node);
  }
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const create = ['--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes'];
  execFileSync(cli, create, { stdio: 'ignore' });
  // The first nodes became the masters.
  const [masters, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  const answer = ({ url }: RedisServer, ...command: readonly string[]) =>
    execFileSync(cli, ['-u', url, ...command], { encoding: 'utf8' });
  await eventually(async () => {
    const settled =
      nodes.every((node) => answer(node, 'cluster', 'info').includes('cluster_state:ok')) &&
      replicas.every((node) => answer(node, 'role').includes('connected'));
    if (!settled) throw new Error('the cluster is not ready');
  });
  return { url: `redis+cluster://${hosts.join(',')}`, masters, replicas };
}

export interface RedisSentinels {
  readonly url: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinels: readonly ChildProcess[];
}

/** A master with a replica, watched by three Sentinels; undefined where none is installed. */
export async function startRedisSentinels(): Promise<RedisSentinels | undefined> {
  const [binary, cli] = [findBinary('redis-server'), findBinary('redis-cli')];
  const master = await startRedis();
  if (binary === undefined || cli === undefined || master === undefined) return undefined;
  const { port: masterPort } = new URL(master.url);
  const replica = await startRedis(['--replicaof', '127.0.0.1', masterPort]);
  if (replica === undefined) return undefined;
  const directory = temporaryDirectory('cls-sentinel-');
  const sentinels: ChildProcess[] = [];
  const ports: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const port = await freePort();
    const file = join(directory, `${port}.conf`);
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor main 127.0.0.1 ${masterPort} 2`,
      'sentinel down-after-milliseconds main 2000',
      'sentinel failover-timeout main 5000',
    ];
    writeFileSync(file, `${settings.join('\n')}\n`);
    const child = endWithTests(spawn(binary, [file, '--sentinel'], { stdio: 'ignore' }));
    await untilListening(port, child);
    sentinels.push(child);
    ports.push(port);
  }
  await eventually(async () => {
    for (const port of ports) {
      const answer = (...words: string[]) =>
        execFileSync(cli, ['-p', `${port}`, 'sentinel', ...words], { encoding: 'utf8' });
      const known = answer('replicas', 'main').includes('slave');
      if (!known || !answer('ckquorum', 'main').startsWith('OK 3')) throw new Error('not ready');
    }
  });
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return { url: `redis+sentinel://${hosts}/main`, master, replica, sentinels };
}

let redis: Promise<RedisServer | undefined> | undefined;

/** The Redis that a test process's suites share; start one's own to stop or freeze it. */
export function redisServer(): Promise<RedisServer | undefined> {
  redis ??= sharedByFiles(startRedis);
  return redis;
}

export function pgbouncerBinary(): string | undefined {
  return findBinary('pgbouncer');
}

/** A pgbouncer in front of one database of `postgresServer`, or undefined where none is installed. */
export async function startPgbouncer(
  databaseUrl: string,
  settings: readonly string[],
): Promise<{ readonly url: string; readonly process: ChildProcess } | undefined> {
  const binary = pgbouncerBinary();
  if (binary === undefined) return undefined;
  const { hostname, port: target, username, pathname } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const port = await freePort();
  const directory = temporaryDirectory('cls-pgbouncer-');
  const owner = postgresUser();
  writeFileSync(join(directory, 'users'), `"${username}" ""\n`);
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${target} dbname=${name}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(directory, 'users')}`,
    ...settings,
  ];
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`);
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const child = endWithTests(spawn(binary, [file], { ...owner, stdio: 'ignore', cwd: directory }));
  await untilListening(port, child);
  return { url: `postgres://${username}@127.0.0.1:${port}/${name}`, process: child };
}

/**
 * The Chromium that browser tests drive, or undefined where none is installed: the one without windows where
 * it is there, which takes a third of the processor time.
 */
export function chromiumBinary(): string | undefined {
  return findBinary('chromium-headless-shell') ?? wholeChromiumBinary();
}

/** The Chromium with windows, which heeds the settings of a profile. */
export function wholeChromiumBinary(): string | undefined {
  return findBinary('chromium') ?? findBinary('chromium-browser') ?? findBinary('google-chrome');
}

/** A folder that goes with the test file that made it (see `sharedByFiles`), or with the process. */
export function temporaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  directories.add(directory);
  // What is still written to goes with the process.
  atEndOfFile(() => rm(directory, { recursive: true, force: true }).catch(() => undefined));
  return directory;
}

/** Below those that the machine gives to connections and to whoever asks for any port. */
const PORTS = { from: 10_000, to: 32_000, ofProcess: 500 };

let ownPorts: Promise<Generator<number, never>> | undefined;

/**
 * A TCP port of 127.0.0.1 on which nothing listens, and which no other process of tests is given: between this
 * call and the start of a server pass seconds.
 */
export async function freePort(): Promise<number> {
  ownPorts ??= eventually(async () => {
    const first =
      PORTS.from + PORTS.ofProcess * randomInt((PORTS.to - PORTS.from) / PORTS.ofProcess);
    // For as long as this process lives, the first one says that the rest is taken.
    (await listenOn(first)).unref();
    return portsAfter(first);
  });
  const ports = await ownPorts;
  return eventually(async () => {
    const port = ports.next().value;
    const server = await listenOn(port);
    await new Promise((resolve) => server.close(resolve));
    return port;
  });
}

function* portsAfter(first: number): Generator<number, never> {
  for (let n = 1; ; n = (n % (PORTS.ofProcess - 1)) + 1) yield first + n;
}

/** @throws where something listens there. */
async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

async function startPostgres(): Promise<PostgresServer | undefined> {
  const binDir = postgresBinDir();
  if (binDir === undefined) return undefined;
  const directory = temporaryDirectory('cls-postgres-');
  const owner = postgresUser();
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');
  const as = { ...owner, stdio: 'ignore' as const, cwd: directory };
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(binDir, 'initdb'), initdb, as);
  const port = await freePort();
  const settings = [
    'fsync=off',
    `unix_socket_directories=${directory}`,
    'max_connections=200',
    'min_wal_size=32MB',
    'max_wal_size=128MB',
  ];
  let child: ChildProcess | undefined;
  const start = async () => {
    const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`];
    child = endWithTests(
      spawn(join(binDir, 'postgres'), [...args, ...settings.flatMap((s) => ['-c', s])], as),
    );
    await untilListening(port, child);
  };
  const admin = async (sql: string) => {
    const address = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };
    const client = new pg.Client({ ...address, connectionTimeoutMillis: 60_000 });
    // What it asked says so as well.
    client.on('error', () => undefined);
    await client.connect();
    return client.query(sql).finally(() => client.end());
  };
  const dropUnused = async (name: string) => {
    const { rowCount } = await admin(`SELECT FROM pg_stat_activity WHERE datname = '${name}'`);
    if (rowCount === 0) await admin(`DROP DATABASE IF EXISTS ${name}`);
  };
  await start();
  await eventually(() => admin('CREATE ROLE cls LOGIN CREATEDB CREATEROLE'));
  let databases = 0;
  return {
    async createDatabase(template = 'template1') {
      databases += 1;
      const name = `test_${process.pid}_${databases}`;
      await admin(`CREATE DATABASE ${name} OWNER cls TEMPLATE ${template} STRATEGY FILE_COPY`);
      // It is only for room: a server that a test stopped goes with the process.
      atEndOfFile(() => dropUnused(name).catch(() => undefined));
      return `postgres://cls@127.0.0.1:${port}/${name}`;
    },
    adminUrl: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
    runScript: (file, user) => runScriptAt(port, file, user),
    async kill() {
      const exited = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill('SIGQUIT');
      await exited;
    },
    async restart() {
      await start();
      await eventually(() => admin('SELECT 1'));
    },
  };
}

/** PostgreSQL refuses to run as root; Debian brings a user for it. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * `CLS_POSTGRES_BIN` names another PostgreSQL. Debian keeps the server's programs out of the PATH, a
 * folder per version.
 */
export function postgresBinDir(): string | undefined {
  const chosen = process.env['CLS_POSTGRES_BIN'];
  if (chosen !== undefined) {
    if (!existsSync(join(chosen, 'initdb'))) throw new Error(`${chosen} has no initdb`);
    return chosen;
  }
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => +b - +a) : [];
  const places = [...versions.map((version) => join(debian, version, 'bin')), ...pathDirectories()];
  return places.find((place) => existsSync(join(place, 'initdb')));
}

/** Runs a script of psql on the server on this port, as a superuser by default. @throws when a statement fails. */
export function runScriptAt(port: number | string, file: string, user = 'postgres'): void {
  const target = ['-h', '127.0.0.1', '-p', `${port}`, '-U', user, '-d', 'postgres'];
  const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...target, '-f', file];
  execFileSync(psql(postgresBinDir() ?? ''), args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Packages with a server alone leave it out; it works with any server. */
function psql(binDir: string): string {
  const beside = join(binDir, 'psql');
  return existsSync(beside) ? beside : (findBinary('psql') ?? beside);
}

export function findBinary(name: string): string | undefined {
  if (areServersLeftOut()) return undefined;
  const places = [...pathDirectories(), '/usr/bin', '/usr/sbin', '/usr/local/bin'];
  const place = places.find((candidate) => existsSync(join(candidate, name)));
  return place === undefined ? undefined : join(place, name);
}

function pathDirectories(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter);
}

/** Ends the process with the tests, however they end. */
export function endWithTests<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.unref();
  return child;
}

export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const { connect } = await import('node:net');
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        if (child.exitCode !== null) reject(new Error(`the server exited: ${child.exitCode}`));
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', reject);
      }),
  );
}

/** Tries until it works; for at most five minutes, because machines may be busy. */
export async function eventually<T>(work: () => Promise<T>, timeoutMs = 300_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
