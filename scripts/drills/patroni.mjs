// deploy/patroni as it is shipped: two PostgreSQL under Patroni with etcd, and HAProxy in front.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { queryAt } from '../../packages/testing/dist/src/postgres-instance.js';
import {
  endWithTests,
  eventually,
  freePort,
  postgresBinDir,
  postgresUser,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { makeRoles, ownerOf, serviceOf } from './roles.mjs';

const shipped = resolve(import.meta.dirname, '..', '..', 'deploy', 'patroni');
const [ETCD, PATRONI, HAPROXY] = ['/usr/bin/etcd', '/usr/bin/patroni', '/usr/sbin/haproxy'];
export const MISSING = [ETCD, PATRONI, HAPROXY].find((file) => !existsSync(file));

export async function startPatroni() {
  const folder = temporaryDirectory('cls-patroni-');
  const owner = postgresUser();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const names = ['2379', '2380', '5000', '5001', '5432', '5433', '8008', '8009'];
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (named) => [named, await freePort()])),
  );
  const withPorts = (text) => text.replaceAll(/\b(\d{4})\b/g, (port) => ports[port] ?? port);
  const run = (file, args, as = {}) =>
    endWithTests(spawn(file, args, { stdio: 'ignore', cwd: folder, ...as }));

  const [client, peer] = ['2379', '2380'].map((named) => `http://127.0.0.1:${ports[named]}`);
  const etcd = run(ETCD, [
    ...['--data-dir', join(folder, 'etcd'), '--name', 'one'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `one=${peer}`],
  ]);
  const start = (name) => {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
    const second = name === 'db2';
    const text = readFileSync(join(shipped, 'patroni.yml'), 'utf8')
      .replace('name: db1', `name: ${name}`)
      .replaceAll('5432', second ? '5433' : '5432')
      .replaceAll('8008', second ? '8009' : '8008')
      .replace('/var/lib/postgresql/15/cls', join(place, 'data'))
      .replace('/usr/lib/postgresql/15/bin', postgresBinDir())
      .replace('max_connections: 200', `unix_socket_directories: ${place}\n        fsync: 'off'`)
      .replace('local all all peer', 'local all all trust')
      .replaceAll('scram-sha-256', 'trust');
    const file = join(place, 'patroni.yml');
    writeFileSync(file, withPorts(text));
    chmodSync(file, 0o644);
    // A process group of its own: a machine that is lost takes all of it.
    return run(PATRONI, [file], { ...owner, detached: true, env: { PATH: process.env.PATH } });
  };
  const nodes = new Map();
  const roleOf = async (name) => {
    const port = ports[name === 'db1' ? '8008' : '8009'];
    const answer = await fetch(`http://127.0.0.1:${port}/patroni`).catch(() => undefined);
    return answer && (await answer.json());
  };
  const until = (name, wanted) =>
    eventually(async () => {
      const found = await roleOf(name);
      if (found?.state !== 'running' || !wanted.includes(found.role)) throw new Error(`${name}`);
    });
  nodes.set('db1', start('db1'));
  await until('db1', ['master', 'primary']);
  nodes.set('db2', start('db2'));
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, withPorts(readFileSync(join(shipped, 'haproxy.cfg'), 'utf8')));
  const haproxy = run(HAPROXY, ['-f', config, '-db']);
  const query = queryAt(ports['5000']);
  // HAProxy takes a server for well until it has looked.
  await until('db2', ['replica']);
  await eventually(async () => makeRoles(ports['5000']));
  // The first fail-over finds a synchronous standby.
  await eventually(async () => {
    const rows = await query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
    if (rows.length === 0) throw new Error('no synchronous standby');
  });
  return {
    url: (name) => `postgres://${serviceOf(name)}@127.0.0.1:${ports['5000']}/${name}`,
    ownerUrl: (name) => `postgres://${ownerOf(name)}@127.0.0.1:${ports['5000']}/${name}`,
    /** Sessions to its own server come through HAProxy, too. */
    readUrls: [`postgres://${serviceOf('cls_api')}@127.0.0.1:${ports['5001']}/cls_api`],
    current: { query },
    /** As if its machine were lost: Patroni and PostgreSQL together. @returns its name */
    async loseLeader() {
      const roles = await Promise.all(
        [...nodes.keys()].map(async (name) => [name, await roleOf(name)]),
      );
      const [leader] = roles.find(([, found]) => ['master', 'primary'].includes(found?.role));
      killGroup(nodes.get(leader), join(folder, leader));
      await once(nodes.get(leader), 'exit');
      return leader;
    },
    async bringBack(name) {
      nodes.set(name, start(name));
      await until(name, ['replica']);
    },
    async close() {
      for (const [name, child] of nodes) killGroup(child, join(folder, name));
      haproxy.kill('SIGKILL');
      etcd.kill('SIGKILL');
    },
  };
}

/** Patroni, and the PostgreSQL that it started as a group of its own. */
function killGroup(child, place) {
  const file = join(place, 'data', 'postmaster.pid');
  const postmaster = existsSync(file)
    ? Number(readFileSync(file, 'utf8').split('\n')[0])
    : undefined;
  child.kill('SIGKILL');
  if (postmaster === undefined) return;
  try {
    process.kill(postmaster, 'SIGQUIT');
  } catch {
    // It had ended.
  }
}
