import { type Log, silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { requireServer } from '@cls/shared/testing/engines';
import { freePort, startRedis } from '@cls/shared/testing/servers';
import { expect } from 'chai';
import { connectRedis, parseRedisUrl } from '../../src/provider/state/connect-redis.ts';
import { redisStateStore } from '../../src/provider/state/redis-state-store.ts';

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('REDIS_URL', () => {
  for (const { url, address } of [
    {
      url: 'redis://127.0.0.1:6390',
      address: { topology: 'single', tls: false, nodes: [{ host: '127.0.0.1', port: 6390 }] },
    },
    {
      url: 'rediss://cls:p%40ss@cache.example/2',
      address: {
        topology: 'single',
        tls: true,
        nodes: [{ host: 'cache.example', port: 6379 }],
        username: 'cls',
        password: 'p@ss',
        db: 2,
      },
    },
    {
      url: 'redis+sentinel://:secret@s1.example:26379,s2.example/main/1',
      address: {
        topology: 'sentinel',
        tls: false,
        nodes: [
          { host: 's1.example', port: 26379 },
          { host: 's2.example', port: 26379 },
        ],
        password: 'secret',
        master: 'main',
        db: 1,
      },
    },
    {
      url: 'redis+cluster://[::1]:7000,c2.example:7001',
      address: {
        topology: 'cluster',
        tls: false,
        nodes: [
          { host: '::1', port: 7000 },
          { host: 'c2.example', port: 7001 },
        ],
      },
    },
  ]) {
    it(`names a ${address.topology} Redis: ${url.replace(/:[^/@]*@/, ':…@')}`, () => {
      expect(parseRedisUrl(url)).to.deep.equal(address);
    });
  }

  for (const url of [
    'redis+sentinel://s1.example:26379',
    'redis://',
    'http://127.0.0.1',
    'redis://127.0.0.1/main',
    'redis://127.0.0.1:66379',
    'redis://cls:100%@127.0.0.1',
  ]) {
    it(`is refused as ${url}`, () => {
      expect(() => parseRedisUrl(url)).to.throw(DatabaseUnavailable, /^REDIS_URL/);
    });
  }

  it('that nobody listens on is refused at start', async () => {
    const url = new Secret(`redis://127.0.0.1:${await freePort()}`);
    const error = await failure(connectRedis(url, false, silentLog));
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
    const error = await failure(connectRedis(url, true, silentLog));
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect(String(error)).to.include('noeviction');
  });

  it('is warned of elsewhere', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, message) => warnings.push(message) };
    (await connectRedis(url, false, log)).disconnect();
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('noeviction');
  });
});

describe('a Redis that stops answering', () => {
  it('fails each call instead of holding it, and serves again once it is back', async function () {
    const server = await startRedis();
    requireServer(this, 'Redis', server);
    const redis = await connectRedis(new Secret(server.url), true, silentLog);
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
