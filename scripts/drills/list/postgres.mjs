import { MISSING } from '../patroni.mjs';
import { DATABASES, serviceOf } from '../roles.mjs';

const READ_ONLY = 'default_transaction_read_only';
const primary = (world) => world.postgres.primary;

export const POSTGRES = [
  {
    name: 'postgres-restart',
    title: 'PostgreSQL restarted',
    holdMs: 0,
    async break(world) {
      await primary(world).stop('fast');
      await primary(world).start();
    },
  },
  {
    short: true,
    name: 'postgres-crash',
    title: 'PostgreSQL crashed (`kill -9` of all its processes)',
    break: (world) => primary(world).stop('crash'),
    heal: (world) => primary(world).start(),
  },
  {
    name: 'postgres-freeze',
    title: 'PostgreSQL frozen (SIGSTOP) for eight seconds',
    holdMs: 8_000,
    break: (world) => primary(world).freeze(),
    heal: (world) => primary(world).thaw(),
  },
  {
    name: 'postgres-read-only',
    title: 'PostgreSQL read-only',
    break: (world) => reconfigure(primary(world), `SET ${READ_ONLY} = on`),
    // As docs/guides/drills.md says; a superuser's session of the drills may write.
    heal: (world) => reconfigure(primary(world), `RESET ${READ_ONLY}`),
  },
  {
    name: 'postgres-connections',
    title: 'PostgreSQL out of connections (53300 for each new one)',
    async break(world) {
      await limitConnections(primary(world), 0);
      await primary(world).query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'cls%service'`,
      );
    },
    heal: (world) => limitConnections(primary(world), -1),
  },
  {
    name: 'postgres-disk-full',
    title: 'the disk of PostgreSQL full',
    needs: { postgres: 'small' },
    holdMs: 6_000,
    async break(world) {
      world.postgres.disk.fill();
      // Its log needs new files at once, not after some hours.
      for (let files = 0; files < 8; files += 1) {
        await primary(world)
          .query('CREATE TABLE filling (); DROP TABLE filling')
          .catch(() => undefined);
        await primary(world)
          .query('SELECT pg_switch_wal()')
          .catch(() => undefined);
      }
    },
    async heal(world) {
      world.postgres.disk.empty();
      // A server that could not write its log has ended; a supervisor starts it again.
      await primary(world).start();
    },
  },
  {
    name: 'postgres-failover',
    title: 'the primary of PostgreSQL killed, its synchronous standby promoted',
    needs: { postgres: 'pair' },
    ends: 'world',
    async break(world) {
      await primary(world).stop('crash');
    },
    heal: (world) => world.postgres.failOver(),
  },
  {
    name: 'postgres-freeze-failover',
    title:
      'the primary of PostgreSQL frozen (SIGSTOP) for twelve seconds, then its synchronous standby promoted by hand',
    needs: { postgres: 'pair' },
    ends: 'world',
    holdMs: 12_000,
    async break(world) {
      primary(world).freeze();
      world.frozen = { fromMs: performance.now() };
    },
    async heal(world) {
      world.frozen.untilMs = performance.now();
      await world.postgres.failOverByHand();
    },
    check: ({ frozen }, { history }) => hanging(history, frozen),
  },
  {
    name: 'replica-crash',
    title: 'one of two read replicas crashed',
    needs: { postgres: 'replicas' },
    break: ({ postgres }) => postgres.replicas[0].stop('crash'),
    heal: ({ postgres }) => postgres.replicas[0].start(),
  },
  {
    name: 'replica-freeze',
    title: 'one of two read replicas frozen (SIGSTOP) for eight seconds',
    needs: { postgres: 'replicas' },
    holdMs: 8_000,
    break: ({ postgres }) => postgres.replicas[1].freeze(),
    heal: ({ postgres }) => postgres.replicas[1].thaw(),
  },
  {
    name: 'replicas-behind',
    title: 'both read replicas stop applying for six seconds, while imports go on',
    needs: { postgres: 'replicas' },
    holdMs: 6_000,
    async break({ postgres }) {
      for (const one of postgres.replicas) await one.query('SELECT pg_wal_replay_pause()');
    },
    async heal({ postgres }) {
      for (const one of postgres.replicas) await one.query('SELECT pg_wal_replay_resume()');
    },
  },
  {
    name: 'patroni-failover',
    title: 'Patroni, etcd and HAProxy (deploy/patroni): the machine of the primary lost',
    missing: MISSING,
    needs: { postgres: 'patroni' },
    ends: 'world',
    // Patroni waits for its ttl of 20 seconds, and promotes without being asked.
    holdMs: 30_000,
    break: ({ postgres }) => postgres.loseLeader(),
    heal: ({ postgres }, lost) => postgres.bringBack(lost),
  },
  {
    name: 'pgbouncer-crash',
    title: 'behind pgbouncer in transaction mode: the poolers killed',
    needs: { postgres: 'pooled' },
    async break(world) {
      for (const pooler of world.postgres.poolers) pooler.stop();
    },
    async heal(world) {
      for (const pooler of world.postgres.poolers) pooler.start();
    },
  },
  {
    name: 'pgbouncer-postgres-crash',
    title: 'behind pgbouncer in transaction mode: PostgreSQL crashed',
    needs: { postgres: 'pooled' },
    break: (world) => primary(world).stop('crash'),
    heal: (world) => primary(world).start(),
  },
  {
    name: 'pgbouncer-postgres-freeze',
    title: 'behind pgbouncer in transaction mode: PostgreSQL frozen for eight seconds',
    needs: { postgres: 'pooled' },
    holdMs: 8_000,
    break: (world) => primary(world).freeze(),
    heal: (world) => primary(world).thaw(),
  },
];

/** A frozen server is noticed within two seconds; nobody waits for it afterwards. */
const NOTICED_MS = 4_000;
const HANGS_MS = 4_000;

/** Of the requests that began after the freeze was noticed: what waited, and whether any was refused. */
function hanging(history, { fromMs, untilMs }) {
  const after = history.filter(
    ({ kind, startedMs }) =>
      kind !== 'import' && startedMs > fromMs + NOTICED_MS && startedMs < untilMs - HANGS_MS,
  );
  const late = after.filter(({ tookMs }) => tookMs > HANGS_MS);
  const faults = late.map(
    ({ kind, tookMs }) => `${kind} waited ${Math.round(tookMs)} ms for a frozen server`,
  );
  if (!after.some(({ outcome }) => outcome === 'refused')) faults.push('nothing was refused');
  return faults;
}

async function limitConnections(server, limit) {
  for (const role of DATABASES.map(serviceOf)) {
    await server.query(`ALTER ROLE ${role} CONNECTION LIMIT ${limit}`);
  }
}

async function reconfigure(server, change) {
  await server.query(`ALTER SYSTEM ${change}`);
  await server.query('SELECT pg_reload_conf()');
}
