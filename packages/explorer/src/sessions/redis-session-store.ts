import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Cluster, Redis } from 'ioredis';
import type { SessionStore } from './session-store.ts';

/** Compares and sets in one step: a session that ended meanwhile is not brought back. */
const REPLACE = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
  return 1`;

/** Sessions in Redis. Each command touches one key, so that it runs on a cluster too. */
export function redisSessionStore(redis: Redis | Cluster): SessionStore {
  const store = unguarded(redis);
  return {
    create: (session) => answered(store.create(session)),
    find: (key) => answered(store.find(key)),
    replace: (key, from, to) => answered(store.replace(key, from, to)),
    lease: (key, forMs) => answered(store.lease(key, forMs)),
    end: (key) => answered(store.end(key)),
    endAll: (sid, ttlS) => answered(store.endAll(sid, ttlS)),
    keepOnce: (entry) => answered(store.keepOnce(entry)),
    look: (kind, key) => answered(store.look(kind, key)),
    take: (kind, key) => answered(store.take(kind, key)),
    ready: () => answered(store.ready()),
    close: () => store.close(),
  };
}

function unguarded(redis: Redis | Cluster): SessionStore {
  const keepOnce: SessionStore['keepOnce'] = async ({ kind, key, sealed, ttlS }) =>
    (await redis.set(onceKey(kind, key), sealed, 'EX', ttlS, 'NX')) === 'OK';
  const end = async (key: string) => {
    await redis.del(sessionKey(key));
  };
  return {
    async create({ key, sid, sealed, ttlS }) {
      // The list first: a session that it does not name could not be ended.
      await redis.sadd(sidKey(sid), key);
      await redis.expire(sidKey(sid), ttlS);
      await redis.set(sessionKey(key), sealed, 'EX', ttlS);
      // Asked after it is there: whoever ended the sid before could not see it.
      if ((await redis.exists(onceKey('ended', sid))) === 1) await end(key);
    },
    find: async (key) => (await redis.get(sessionKey(key))) ?? undefined,
    replace: async (key, from, to) =>
      (await redis.eval(REPLACE, 1, sessionKey(key), from, to)) === 1,
    lease: async (key, forMs) => (await redis.set(leaseKey(key), '1', 'PX', forMs, 'NX')) === 'OK',
    end,
    async endAll(sid, ttlS) {
      await keepOnce({ kind: 'ended', key: sid, sealed: '', ttlS });
      const keys = await redis.smembers(sidKey(sid));
      await Promise.all(keys.map(end));
      await redis.del(sidKey(sid));
    },
    keepOnce,
    look: async (kind, key) => (await redis.get(onceKey(kind, key))) ?? undefined,
    take: async (kind, key) => (await redis.getdel(onceKey(kind, key))) ?? undefined,
    ready: async () => void (await redis.set('cls:explorer:ready', '1', 'EX', 60)),
    close: async () => {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

/** @throws {DatabaseUnavailable} whatever Redis failed with. */
async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new DatabaseUnavailable('Redis does not answer', { cause });
  }
}

const sessionKey = (key: string) => `cls:explorer:session:${key}`;
const leaseKey = (key: string) => `cls:explorer:lease:${key}`;
const sidKey = (sid: string) => `cls:explorer:sid:${sid}`;
const onceKey = (kind: string, key: string) => `cls:explorer:${kind}:${key}`;
