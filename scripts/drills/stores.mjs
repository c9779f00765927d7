// The PostgreSQL and the Redis of a drill, as it needs them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresInstance } from '../../packages/testing/dist/src/postgres-instance.js';
import {
  endWithTests,
  eventually,
  startPgbouncer,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { archivedPostgres } from './backups.mjs';
import { startPatroni } from './patroni.mjs';
import { startProxy } from './proxy.mjs';
import { DATABASES, makeRoles, ownerOf, serviceOf } from './roles.mjs';

/**
 * @param kind `single`; `pair`: a primary and its standby; `pooled`: behind pgbouncer;
 *   `small`: on a disk of its own that can be filled; `patroni`: deploy/patroni;
 *   `replicas`: with two that answer questions; `archived`: with its log in an archive;
 *   `passwords`: the service roles need one
 */
export async function startPostgres(kind = 'single') {
  if (kind === 'patroni') return startPatroni();
  const disk = kind === 'small' ? mountDisk('cls-disk-', '400m') : undefined;
  const settings = disk && ['min_wal_size=32MB', 'max_wal_size=64MB', 'autovacuum=off'];
  const archived = kind === 'archived' ? archivedPostgres() : undefined;
  const primary = await startPostgresInstance({
    ...(disk && { directory: disk.folder, settings }),
    ...archived,
  });
  if (primary === undefined) throw new Error('PostgreSQL is not installed');
  makeRoles(primary.port);
  const standby = kind === 'pair' ? await primary.startStandby() : undefined;
  if (standby !== undefined) {
    // An acknowledged commit is on both.
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await primary.query('SELECT pg_reload_conf()');
  }
  if (kind === 'passwords') await requirePasswords(primary);
  const replicas = [];
  while (kind === 'replicas' && replicas.length < 2) replicas.push(await primary.startStandby());
  const poolers = new Map();
  if (kind === 'pooled') {
    for (const name of DATABASES) {
      poolers.set(name, await startPooler(primary.url(name, serviceOf(name))));
    }
  }
  const url = (name) => {
    const role = kind === 'passwords' ? `${serviceOf(name)}:first` : serviceOf(name);
    if (standby === undefined) return poolers.get(name)?.url ?? primary.url(name, role);
    return `postgres://${role}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${name}`;
  };
  let current = primary;
  return {
    ...{ url, primary, standby, replicas, disk, archived, poolers: [...poolers.values()] },
    /** For migrations alone. */
    ownerUrl: (name) => primary.url(name, ownerOf(name)),
    /** Where the API's questions go, if not to the primary. */
    readUrls: replicas.map((replica) => replica.url('cls_api', serviceOf('cls_api'))),
    /** Which one takes writes. */
    get current() {
      return current;
    },
    async failOver() {
      await standby.promote();
      current = standby;
    },
    /** As docs/guides/runbooks/fail-over.md says of a primary that is frozen: ended first, then replaced. */
    async failOverByHand() {
      await primary.stop('crash');
      await standby.query('SELECT pg_promote()');
      await standby.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
      await standby.query('SELECT pg_reload_conf()');
      current = standby;
    },
    async close() {
      for (const pooler of poolers.values()) pooler.stop();
      for (const one of [...replicas, standby]) await one?.remove();
      await primary.remove();
      disk?.unmount();
    },
  };
}

/** Administrators and owners need none; it is `first` for the service roles. */
async function requirePasswords(server) {
  const [{ file }] = await server.query(`SELECT current_setting('hba_file') AS file`);
  const trusted = ['postgres', ...DATABASES.map(ownerOf)].join(',');
  const [all, own] = [`host all all 127.0.0.1/32`, `host all ${trusted} 127.0.0.1/32`];
  writeFileSync(file, `${own} trust\n${all} scram-sha-256\n`);
  await server.query('SELECT pg_reload_conf()');
  for (const name of DATABASES)
    await server.query(`ALTER ROLE ${serviceOf(name)} PASSWORD 'first'`);
}

async function startPooler(url) {
  const settings = [
    ...['pool_mode = transaction', 'default_pool_size = 10'],
    // Its default is 15 seconds, in which it refuses everybody.
    'server_login_retry = 1',
  ];
  const pooler = await startPgbouncer(url, settings);
  if (pooler === undefined) throw new Error('pgbouncer is not installed');
  const { spawnfile, spawnargs } = pooler.process;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  const as = process.getuid() === 0 ? { uid, gid } : {};
  let { process: child } = pooler;
  return {
    url: pooler.url,
    stop() {
      child.kill('SIGKILL');
    },
    start() {
      child = endWithTests(spawn(spawnfile, spawnargs.slice(1), { ...as, stdio: 'ignore' }));
    },
  };
}

/** A file system of its own. @throws where the user may not mount one */
function mountDisk(prefix, size) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  let mounted = true;
  const unmount = () => {
    if (!mounted) return;
    mounted = false;
    clearInterval(filling);
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
    rmdirSync(folder);
  };
  process.once('exit', unmount);
  const filler = join(folder, 'filler');
  const block = Buffer.alloc(4_096);
  let filling;
  const fillUp = () => {
    const file = openSync(filler, 'a');
    try {
      for (;;) writeSync(file, block);
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  };
  return {
    folder,
    /** Leaves no byte, also where files are removed meanwhile, until `empty`. */
    fill() {
      fillUp();
      filling = setInterval(fillUp, 20);
    },
    empty() {
      clearInterval(filling);
      rmSync(filler);
    },
    unmount,
  };
}

export { mountDisk };

/** @param kind `single`, `proxied`: through a proxy that can be slow; `sentinel` or `cluster`;
 *   `passwords`: services are its user `cls`, with a password */
export async function startRedisOf(kind = 'single') {
  if (kind === 'sentinel') return several(await startRedisSentinels());
  if (kind === 'cluster')
    return several(await startRedisCluster(['--cluster-node-timeout', '2000']));
  const users = kind === 'passwords' ? ['--aclfile', aclFile()] : [];
  const server = await startRedis(['--appendonly', 'yes', ...users]);
  if (server === undefined) throw new Error('Redis is not installed');
  const { port } = new URL(server.url);
  const { spawnfile, spawnargs } = server.process;
  const proxy = kind === 'proxied' ? await startProxy([Number(port)]) : undefined;
  let child = server.process;
  const command = (...words) =>
    execFileSync('redis-cli', ['-u', server.url, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const address = `127.0.0.1:${proxy?.port ?? port}`;
  return {
    url: kind === 'passwords' ? `redis://cls:first@${address}` : `redis://${address}`,
    proxy,
    command,
    signal: (name) => child.kill(name),
    async stop(signal) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
    async start() {
      child = endWithTests(spawn(spawnfile, spawnargs.slice(1), { stdio: 'ignore' }));
      await eventually(async () => {
        if (command('ping').trim() !== 'PONG') throw new Error('Redis loads its file');
      });
    },
    async close() {
      proxy?.close();
      child.kill('SIGKILL');
    },
  };
}

function aclFile() {
  const file = join(temporaryDirectory('cls-acl-'), 'users.acl');
  writeFileSync(file, 'user default on nopass ~* &* +@all\nuser cls on >first ~* &* +@all\n');
  return file;
}

function several(servers) {
  if (servers === undefined) throw new Error('Redis is not installed');
  return {
    ...servers,
    async close() {
      const all = [servers.master, servers.replica, ...(servers.masters ?? [])].filter(Boolean);
      for (const { process: child } of [...all, ...(servers.replicas ?? [])]) child.kill('SIGKILL');
      for (const child of servers.sentinels ?? []) child.kill('SIGKILL');
    },
  };
}
