import { DatabaseUnavailable } from '../sql/database.ts';

/** Where Redis is, as both services take it from `REDIS_URL`. */
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

/** Tells URLs that can be meant for Redis; `parseRedisUrl` says what is wrong with one. */
export const REDIS_URL_PATTERN = /^rediss?(\+(sentinel|cluster))?:\/\/\S+$/;

const URL_SHAPE =
  /^redis(?<tls>s)?(?:\+(?<topology>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<nodes>[^/@?#]+)(?:\/(?<path>[^?#]*))?$/;
const DEFAULT_PORT = { single: 6_379, sentinel: 26_379, cluster: 6_379 } as const;

/**
 * Reads `redis://[user:password@]host:port[/db]`,
 * `redis+sentinel://…@host:port,host:port/master[/db]` or `redis+cluster://…@host:port,host:port`;
 * `rediss` for TLS.
 *
 * @throws {DatabaseUnavailable} when the URL has another shape. The message quotes no part of the URL.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const parts = URL_SHAPE.exec(url)?.groups;
  if (parts === undefined)
    throw new DatabaseUnavailable(
      'REDIS_URL: expected redis://, redis+sentinel:// or redis+cluster:// (rediss for TLS)',
    );
  const topology = (parts['topology'] ?? 'single') as RedisAddress['topology'];
  const path = (parts['path'] ?? '').split('/');
  const db = topology === 'sentinel' ? path[1] : path[0];
  const master = topology === 'sentinel' ? path[0] : undefined;
  if (topology === 'sentinel' && !master) {
    throw new DatabaseUnavailable('REDIS_URL: a Sentinel URL ends with the name of its master');
  }
  if (db && !/^\d{1,5}$/.test(db)) {
    throw new DatabaseUnavailable(
      'REDIS_URL: expected a database number, or nothing, after the host',
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
    throw new DatabaseUnavailable('REDIS_URL: a host or port is not valid');
  }
  return { host, port: port === undefined ? defaultPort : Number(port) };
}
