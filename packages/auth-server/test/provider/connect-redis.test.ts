import { mock } from 'node:test';
import { type Log, silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { requireServer } from '@cls/testing/engines';
import {
  busyUntilAnswered,
  eventually,
  freePort,
  type RedisCluster,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connectRedis } from '../../src/state/connect-redis.ts';
import { redisStateStore } from '../../src/state/redis-state-store.ts';

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('REDIS_URL', () => {
  it('that nobody listens on is refused at start', async () => {
    const url = new Secret(`redis://127.0.0.1:${await freePort()}`);
    const error = await failure(
      connectRedis(url, { production: false, redisTimeoutMs: 10_000 }, silentLog),
    );
    expect(error).to.be.instanceOf(DatabaseUnavailable);
  });
});

describe('a Redis that evicts keys', () => {
  let url: Secret;
  let kill: () => void;
  before(async function () {
    const server = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    requireServer(this, 'Redis', server);
    url = new Secret(server.url);
    kill = () => server.process.kill('SIGKILL');
  });
  after(() => kill?.());

  it('is refused in production', async () => {
    const error = await failure(
      connectRedis(url, { production: true, redisTimeoutMs: 10_000 }, silentLog),
    );
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect(String(error)).to.include('noeviction');
  });

  it('is warned of elsewhere', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, message) => warnings.push(message) };
    (await connectRedis(url, { production: false, redisTimeoutMs: 10_000 }, log)).disconnect();
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('noeviction');
  });
});

describe('a Redis that goes away while it is used', () => {
  it('has one log line for its failures, and one for their end', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const lines: [string, object][] = [];
    const write = (fields: object, message: string) => void lines.push([message, fields]);
    const log: Log = { ...silentLog, warn: write, info: write };
    const settings = { production: false, redisTimeoutMs: 10_000 };
    const redis = await eventually(() => connectRedis(new Secret(server.url), settings, log));
    let failures = 0;
    redis.on('error', () => {
      failures += 1;
    });
    server.process.kill('SIGKILL');
    await eventually(async () => expect(failures).to.be.at.least(3));
    const [[message, { reason } = { reason: '' }] = []] = lines as [[string, { reason: string }]];
    expect([message, lines.length]).to.deep.equal(['Redis failed', 1]);
    expect(reason).to.match(/ECONN|closed/);
    redis.disconnect();
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      redis.emit('ready');
      mock.timers.tick(5_000);
    } finally {
      mock.timers.reset();
    }
    expect(lines.map(([text]) => text)).to.deep.equal(['Redis failed', 'Redis answers again']);
    expect(lines[1]?.[1]).to.have.property('count').that.is.at.least(2);
  });
});

describe('an answer of Redis that came while the process was busy', () => {
  it('is read, though its time is over', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const redisTimeoutMs = 100;
    const settings = { production: false, redisTimeoutMs };
    const redis = await eventually(() => connectRedis(new Secret(server.url), settings, silentLog));
    const answers = [redis.set('key', 'value'), redis.get('key')];
    busyUntilAnswered(server, 2 * redisTimeoutMs);
    expect(await Promise.all(answers)).to.deep.equal(['OK', 'value']);
    redis.disconnect();
    server.process.kill('SIGKILL');
  });

  it('is missed where Redis is frozen, and the command fails', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const settings = { production: false, redisTimeoutMs: 300 };
    const redis = await eventually(() => connectRedis(new Secret(server.url), settings, silentLog));
    server.process.kill('SIGSTOP');
    expect(String(await failure(redis.get('key')))).to.include('Command timed out');
    redis.disconnect();
    server.process.kill('SIGKILL');
  });
});

const entry = (key: string) => ({ kind: 'RefreshToken', key, payload: {}, ttlS: 60 });

describe('a Redis Cluster', () => {
  let cluster: RedisCluster;
  const clients: { disconnect(): void }[] = [];
  const connect = async () => {
    const redis = await connectRedis(
      new Secret(cluster.url),
      { production: true, redisTimeoutMs: 10_000 },
      silentLog,
    );
    clients.push(redis);
    return redis;
  };
  before(async function () {
    const started = await startRedisCluster();
    requireServer(this, 'Redis', started);
    cluster = started;
  });
  after(() => {
    for (const client of clients) client.disconnect();
    for (const { process } of [...(cluster?.masters ?? []), ...(cluster?.replicas ?? [])]) {
      process.kill('SIGKILL');
    }
  });

  it('consumes once a replica has confirmed, and never when that node’s replica is away', async () => {
    const state = redisStateStore(await connect(), 1);
    // What is in braces chooses the node: all are on one, and the others have nothing to confirm.
    const newKey = async () => {
      const key = `{one-node}-${Math.random()}`;
      await state.put(entry(key));
      return key;
    };
    // A busy machine's replica may take longer than the server waits for it.
    const spent = await eventually(async () => {
      const key = await newKey();
      expect(await state.consume('RefreshToken', key)).to.equal('won');
      return key;
    });
    expect(await state.consume('RefreshToken', spent)).to.equal('already');
    expect(await state.consume('RefreshToken', 'never stored')).to.equal('gone');
    const keys = await Promise.all(Array.from({ length: 12 }, newKey));
    for (const { process } of cluster.replicas) process.kill('SIGSTOP');
    for (const key of keys) {
      const refused = await failure(state.consume('RefreshToken', key));
      expect(refused, key).to.be.instanceOf(DatabaseUnavailable);
    }
    for (const { process } of cluster.replicas) process.kill('SIGCONT');
  });

  it('is ready when each master takes a write, and not when one of them does not', async () => {
    const state = redisStateStore(await connect(), 0);
    await state.ready();
    for (const { url } of cluster.masters) {
      const master = new Redis(url);
      clients.push(master);
      await master.config('SET', 'min-replicas-to-write', '5');
      expect(await failure(state.ready()), url).to.be.instanceOf(DatabaseUnavailable);
      await master.config('SET', 'min-replicas-to-write', '0');
      await state.ready();
    }
  });

  it('of which one master evicts keys is refused in production', async () => {
    for (const { url } of cluster.masters) {
      const master = new Redis(url);
      clients.push(master);
      await master.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const error = await failure(connect());
      expect(String(error)).to.include('noeviction');
      await master.config('SET', 'maxmemory-policy', 'noeviction');
    }
    await connect();
  });
});

describe('a Redis that does not confirm a consumption', () => {
  let server: RedisServer;
  let admin: Redis;
  before(async function () {
    const started = await startRedis();
    requireServer(this, 'Redis', started);
    server = started;
    admin = new Redis(server.url);
  });
  after(() => {
    admin?.disconnect();
    server?.process.kill('SIGKILL');
  });

  for (const { because, prepare } of [
    { because: 'it has no replica', prepare: () => admin.ping() },
    { because: 'it refuses to be asked', prepare: () => admin.acl('SETUSER', 'default', '-wait') },
    {
      because: 'it refuses to write',
      prepare: () => admin.config('SET', 'min-replicas-to-write', '1'),
    },
  ]) {
    it(`serves nothing when ${because}`, async () => {
      const redis = await connectRedis(
        new Secret(server.url),
        { production: true, redisTimeoutMs: 10_000 },
        silentLog,
      );
      const state = redisStateStore(redis, 1);
      await state.put(entry(because));
      await prepare();
      const refused = await failure(state.consume('RefreshToken', because));
      expect(refused).to.be.instanceOf(DatabaseUnavailable);
      redis.disconnect();
    });
  }
});

describe('a Redis that stops answering', () => {
  it('fails each call instead of holding it, and serves again once it is back', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const redis = await connectRedis(
      new Secret(server.url),
      { production: true, redisTimeoutMs: 10_000 },
      silentLog,
    );
    const state = redisStateStore(redis, 0);
    server.process.kill('SIGSTOP');
    expect(await failure(state.find('Session', 'any'))).to.be.instanceOf(DatabaseUnavailable);
    server.process.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await state.find('Session', 'any')).to.equal(undefined);
    server.process.kill('SIGKILL');
    expect(await failure(state.find('Session', 'any'))).to.be.instanceOf(DatabaseUnavailable);
    redis.disconnect();
  });
});
