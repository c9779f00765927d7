import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** ioredis queues for ever by default; an answer within half a second or none. */
const OPTIONS = {
  commandTimeout: 500,
  connectTimeout: 2_000,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
} satisfies RedisOptions;

/** Redis would drop sessions and consumed codes when memory runs short. */
export class EvictingRedis extends Error {
  override readonly name = 'EvictingRedis';
}

/**
 * Connects to `redis://` or `rediss://` (one server), `redis+sentinel://h1:26379,h2:26379/name`
 * or `redis+cluster://h1:6379,h2:6379`, and waits until it is usable.
 *
 * @throws {EvictingRedis} in production, when the server may evict keys.
 */
export async function connectRedis(
  url: Secret,
  production: boolean,
  log: Log,
): Promise<Redis | Cluster> {
  const redis = open(url.expose());
  redis.on('error', (err: Error) => log.warn({ err: { message: err.message } }, 'Redis failed'));
  await new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('end', () => reject(new Error('Redis cannot be reached')));
    setTimeout(() => reject(new Error('Redis cannot be reached')), 10_000).unref();
  });
  await checkEviction(redis, production, log);
  return redis;
}

function open(url: string): Redis | Cluster {
  const [, kind, rest = ''] = /^redis\+(sentinel|cluster):\/\/(.+)$/.exec(url) ?? [];
  if (kind === undefined) return new Redis(url, OPTIONS);
  const { username, password, hosts, name } = parseHosts(rest);
  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  return kind === 'sentinel'
    ? new Redis({ ...OPTIONS, ...credentials, sentinels: hosts, name: name || 'mymaster' })
    : new Cluster(hosts, {
        enableOfflineQueue: false,
        redisOptions: { ...OPTIONS, ...credentials },
      });
}

/** `user:password@h1:1,h2:2/name` */
function parseHosts(text: string) {
  const [, credentials, list = '', name] = /^(?:([^@]*)@)?([^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  const [username, password] = credentials?.split(':').map(decodeURIComponent) ?? [];
  const hosts = list.split(',').map((item) => {
    const { hostname, port } = new URL(`redis://${item}`);
    return { host: hostname, port: Number(port || 6379) };
  });
  return { username: username || undefined, password, hosts, name };
}

async function checkEviction(redis: Redis | Cluster, production: boolean, log: Log): Promise<void> {
  const answer = await redis.call('CONFIG', 'GET', 'maxmemory-policy').catch(() => undefined); // Managed servers often forbid CONFIG; nothing can be told then.
  const text = JSON.stringify(answer ?? 'noeviction');
  if (text.includes('noeviction')) return;
  const message = 'Redis must run with maxmemory-policy noeviction: it holds protocol state';
  if (production) throw new EvictingRedis(message);
  log.warn({}, message);
}
