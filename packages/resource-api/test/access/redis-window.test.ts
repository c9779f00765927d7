import type { ChildProcess } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type Log, silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { requireServer } from '@cls/testing/engines';
import {
  busyUntilAnswered,
  eventually,
  type RedisServer,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
} from '@cls/testing/servers';
import { expect } from 'chai';
import type { SharedWindow } from '../../src/access/rate-limit.ts';
import { connectRedis } from '../../src/access/redis-connection.ts';
import { redisWindow } from '../../src/access/redis-window.ts';

const LIMIT = 100;

interface World {
  readonly url: string;
  readonly processes: readonly ChildProcess[];
  readonly master: RedisServer;
}

interface Setting {
  start(): Promise<World | undefined>;
  /** Ends a server that serves; another one remains. */
  readonly failOver?: (world: World) => void;
}

const processesOf = (servers: readonly RedisServer[]) => servers.map(({ process }) => process);
const killMaster = ({ master }: World) => void master.process.kill('SIGKILL');

const SETTINGS: Readonly<Record<string, Setting>> = {
  'one server': {
    async start() {
      const master = await startRedis();
      return master && { url: master.url, master, processes: [master.process] };
    },
  },
  'behind Sentinels': {
    async start() {
      const set = await startRedisSentinels();
      if (set === undefined) return undefined;
      const { url, master, replica, sentinels } = set;
      return { url, master, processes: [...processesOf([master, replica]), ...sentinels] };
    },
    failOver: killMaster,
  },
  'as a Cluster': {
    async start() {
      const set = await startRedisCluster(['--cluster-node-timeout', '3000']);
      const [master] = set?.masters ?? [];
      if (set === undefined || master === undefined) return undefined;
      const { url, masters, replicas } = set;
      return { url, master, processes: processesOf([...masters, ...replicas]) };
    },
    failOver: killMaster,
  },
};

for (const [name, setting] of Object.entries(SETTINGS)) {
  describe(`replicas that share their limits in Redis, ${name},`, () => {
    let world: World;
    let replicas: readonly { window: SharedWindow; stop: () => Promise<void> }[] = [];
    before(async function () {
      const started = await setting.start();
      requireServer(this, 'Redis', started);
      world = started;
    });
    after(async () => {
      await Promise.all(replicas.map(({ stop }) => stop()));
      for (const child of world?.processes ?? []) child.kill('SIGKILL');
    });

    const first = () => (replicas[0] as (typeof replicas)[0]).window;
    let callers = 0;
    /** That one replica sees what the other took, of every key: no node is left out. */
    const shared = () =>
      eventually(async () => {
        for (let n = 0; n < 12; n += 1) {
          callers += 1;
          const [one, other] = replicas.map(({ window }) => window) as [SharedWindow, SharedWindow];
          await one.take(`caller-${callers}`, 60);
          const { taken, left } = await other.take(`caller-${callers}`, 60);
          if (taken !== 40 || left !== 0) throw new Error(`each counts for itself: ${taken}`);
        }
      });

    it('answer from their start on while Redis does not, and share once it does', async () => {
      for (const child of world.processes) child.kill('SIGSTOP');
      replicas = [0, 1].map(() => {
        const redis = connectRedis(new Secret(world.url), silentLog);
        return { window: redisWindow(LIMIT, redis), stop: redis.stop };
      });
      expect(await first().take('early', 1)).to.include({ taken: 1 });
      for (const child of world.processes) child.kill('SIGCONT');
      await shared();
    });

    it('take from one window, which ends by itself', async () => {
      await shared();
      const { taken, left, resetMs } = await first().take('somebody', 1);
      expect([taken, left]).to.deep.equal([1, LIMIT - 1]);
      expect(resetMs).to.be.greaterThan(0).and.at.most(60_000);
    });

    const { failOver } = setting;
    if (failOver === undefined) return;
    it('answer while a server is gone, and share again afterwards', async () => {
      failOver(world);
      const { taken } = await first().take('at once', 1);
      expect(taken).to.equal(1);
      await shared();
    });
  });
}

describe('a Redis for limits', () => {
  it('whose URL cannot be read is refused, and not quoted', () => {
    const url = new Secret('redis+sentinel://:secret@127.0.0.1');
    expect(() => connectRedis(url, silentLog)).to.throw(DatabaseUnavailable, /^REDIS_URL/);
  });

  it('has one log line for its failures, and one for their end', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    let isAway = true;
    let refused = 0;
    const between = createServer((socket) => {
      socket.on('error', () => undefined);
      if (isAway) {
        refused += 1;
        socket.destroy();
        return;
      }
      const behind = connect(Number(new URL(server.url).port), '127.0.0.1');
      behind.on('error', () => socket.destroy());
      socket.pipe(behind).pipe(socket);
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const { port } = between.address() as AddressInfo;
    const lines: string[] = [];
    const write = (_: object, message: string) => void lines.push(message);
    const log: Log = { ...silentLog, warn: write, info: write };
    const redis = connectRedis(new Secret(`redis://127.0.0.1:${port}`), log);
    await eventually(async () => expect(refused).to.be.at.least(4));
    expect(lines).to.deep.equal(['Redis failed']);
    isAway = false;
    await eventually(async () => {
      expect(lines).to.deep.equal(['Redis failed', 'Redis answers again']);
    });
    await redis.stop();
    between.close();
    server.process.kill('SIGKILL');
  });

  it('has answered, though the process was too busy to read it in time', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const redis = connectRedis(new Secret(server.url), silentLog);
    await redis.ready();
    const answer = redis.run('return 7', ['key'], []);
    // The library writes a command in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    busyUntilAnswered(server, 1_000);
    expect(await answer).to.equal(7);
    await redis.stop();
    server.process.kill('SIGKILL');
  });
});
