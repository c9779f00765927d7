import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { Cluster, Redis } from 'ioredis';

/**
 * The library's defaults queue commands for as long as Redis is away and wait for ever for one
 * that is frozen. A token request must get its answer, or its 503, within a second.
 */
const FAIL_FAST = {
  commandTimeout: 500,
  connectTimeout: 2_000,
  maxRetriesPerRequest: 1,
  connectionName: 'cls-auth-server',
};
const CONNECTION = { lazyConnect: true, enableOfflineQueue: false };
const retryStrategy = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

/**
 * Connects to the Redis that `url` names: `redis://[user:password@]host:port[/db]`,
 * `redis+sentinel://…@host:port,host:port/master[/db]` or `redis+cluster://…@host:port,host:port`;
 * `rediss` for TLS.
 *
 * Refuses in production, and warns elsewhere, when a server may evict keys: an evicted mark of
 * consumption makes a spent code good again.
 *
 * @throws {DatabaseUnavailable} when it cannot be reached or would evict.
 */
export async function connectRedis(
  url: Secret,
  production: boolean,
  log: Log,
): Promise<Redis | Cluster> {
  const redis = clientFor(parseRedisUrl(url.expose()));
  redis.on('error', (err: Error) => log.warn({ err: { message: err.message } }, 'Redis failed'));
  try {
    await redis.connect();
    await assertKeepsKeys(redis, production, log);
    return redis;
  } catch (error) {
    redis.disconnect();
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable('REDIS_URL: Redis cannot be reached', { cause: error });
  }
}

export interface RedisAddress {
  readonly topology: 'single' | 'sentinel' | 'cluster';
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  /** Sentinel's name of the master. */
  readonly master?: string;
  readonly db?: number;
}

const URL_SHAPE =
  /^redis(?<tls>s)?(?:\+(?<topology>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<nodes>[^/@?#]+)(?:\/(?<path>[^?#]*))?$/;
const DEFAULT_PORT = { single: 6_379, sentinel: 26_379, cluster: 6_379 } as const;

/** @throws {DatabaseUnavailable} when the URL has another shape; quotes none of it. */
export function parseRedisUrl(url: string): RedisAddress {
  const parts = URL_SHAPE.exec(url)?.groups;
  if (parts === undefined) throw new DatabaseUnavailable('REDIS_URL: has an unknown shape');
  const topology = (parts['topology'] ?? 'single') as RedisAddress['topology'];
  const path = (parts['path'] ?? '').split('/');
  const db = topology === 'sentinel' ? path[1] : path[0];
  const master = topology === 'sentinel' ? path[0] : undefined;
  if (topology === 'sentinel' && !master) {
    throw new DatabaseUnavailable('REDIS_URL: a Sentinel URL ends with the name of its master');
  }
  if (db && !/^\d{1,5}$/.test(db)) {
    throw new DatabaseUnavailable(
      'REDIS_URL: ends with the number of a database, if with anything',
    );
  }
  return {
    topology,
    tls: parts['tls'] !== undefined,
    nodes: (parts['nodes'] ?? '').split(',').map((node) => parseNode(node, DEFAULT_PORT[topology])),
    ...(parts['user'] ? { username: decoded(parts['user']) } : {}),
    ...(parts['password'] ? { password: decoded(parts['password']) } : {}),
    ...(master ? { master } : {}),
    ...(db ? { db: Number(db) } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUnavailable('REDIS_URL: write a % in the user or password as %25');
  }
}

function parseNode(text: string, defaultPort: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 0) > 65_535) {
    throw new DatabaseUnavailable('REDIS_URL: names a host or its port badly');
  }
  return { host, port: port === undefined ? defaultPort : Number(port) };
}

function clientFor(address: RedisAddress): Redis | Cluster {
  const { topology, nodes, tls, username, password, master = '', db } = address;
  const node = {
    ...FAIL_FAST,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    ...(db === undefined ? {} : { db }),
  };
  if (topology === 'cluster') {
    return new Cluster([...nodes], {
      ...CONNECTION,
      redisOptions: node,
      clusterRetryStrategy: retryStrategy,
    });
  }
  const server =
    topology === 'sentinel'
      ? { sentinels: [...nodes], name: master, enableTLSForSentinelMode: tls }
      : { ...nodes[0] };
  return new Redis({ ...CONNECTION, ...node, ...server, retryStrategy });
}

async function assertKeepsKeys(
  redis: Redis | Cluster,
  production: boolean,
  log: Log,
): Promise<void> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    nodes.map(async (node) => /^maxmemory_policy:(\S+)/m.exec(await node.info('memory'))?.[1]),
  );
  if (policies.every((policy) => policy === 'noeviction')) return;
  const message =
    'REDIS_URL: Redis may evict keys; set its maxmemory-policy to noeviction, or spent codes become good again';
  if (production) throw new DatabaseUnavailable(message);
  log.warn({ policies }, message);
}
