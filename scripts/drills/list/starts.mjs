import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASES } from '../roles.mjs';
import { MIGRATED } from '../world.mjs';

const APIS = ['api-1', 'api-2'];
// Here the services migrate at their start, with the owners' URLs.
const NEEDS = { start: false, migrates: 'at start' };

export const STARTS = [
  {
    name: 'first-starts',
    title: 'four first starts at once, on empty databases',
    needs: NEEDS,
    async scenario(world) {
      await world.startMissing(MIGRATED);
      return [...(await schemaFaults(world)), ...(await keyFaults(world))];
    },
  },
  {
    name: 'migration-killed',
    title: 'a migration killed midway (`kill -9`), six times in each service',
    needs: NEEDS,
    async scenario(world) {
      for (const [name, database] of [
        ['auth-1', 'cls_auth'],
        ['api-1', 'cls_api'],
      ]) {
        for (let kills = 1; kills <= 6; kills += 1) {
          await world.start(name, { ready: false });
          await untilMigrates(world, database);
          await sleep(Math.random() * 300);
          await world.stop(name, 'SIGKILL');
        }
        await world.start(name);
      }
      return schemaFaults(world);
    },
  },
  {
    name: 'migrations-at-once',
    title: '`migrate` of each service three times at once',
    needs: { start: false },
    async scenario(world) {
      await Promise.all([1, 2, 3].map(() => world.migrate()));
      await world.startMissing(MIGRATED);
      return schemaFaults(world);
    },
  },
  {
    name: 'key-set-at-start',
    title: 'the key set unreachable when both APIs start, without a kept one',
    async break(world) {
      world.keySet.set('refuse');
      for (const name of APIS) {
        await world.stop(name);
        world.forget(name);
        await world.start(name, { ready: false });
      }
    },
    heal: (world) => world.keySet.set('pass'),
  },
  {
    name: 'key-set-at-restart',
    title: 'the key set unreachable when both APIs start, with a kept one',
    holdMs: 0,
    async break(world) {
      world.keySet.set('refuse');
      for (const name of APIS) await world.restart(name);
    },
    heal: (world) => world.keySet.set('pass'),
  },
  {
    name: 'key-set-silent',
    title: 'the key set silent for eight seconds while the APIs run',
    holdMs: 8_000,
    break: (world) => world.keySet.set('silent'),
    heal: (world) => world.keySet.set('pass'),
  },
];

/** Until a migration is under way, or all were applied. */
async function untilMigrates({ postgres }, database) {
  const lock = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const done = 'SELECT FROM schema_migration';
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [locks, migrations] = await Promise.all(
      [lock, done].map((sql) => postgres.current.query(sql, database).catch(() => [])),
    );
    if (locks.length > 0 || migrations.length > 0) return;
    if (Date.now() > deadline) throw new Error(`${database}: nobody migrates`);
  }
}

/** Each migration is there once, without a gap, and nothing is pending. */
async function schemaFaults(world) {
  const faults = [];
  for (const database of DATABASES) {
    const [row] = await world.postgres.current.query(
      'SELECT count(*)::int AS count, max(number) AS last FROM schema_migration',
      database,
    );
    if (row.count !== row.last) faults.push(`${database}: ${row.count} migrations of ${row.last}`);
    const words = ['migrate', '--check'];
    await world
      .tool(database.replace('_', '-'), words)
      .catch(({ message }) => faults.push(message));
  }
  return faults;
}

async function keyFaults(world) {
  const keys = await world.tool('cls-auth', ['keys', 'list']);
  const active = keys.filter(({ state }) => state === 'active').length;
  return keys.length === 1 && active === 1 ? [] : [`${keys.length} signing keys, ${active} active`];
}
