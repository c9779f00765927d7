import { randomUUID } from 'node:crypto';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Cluster, Redis } from 'ioredis';
import {
  END_TTL_S,
  type NewStateEntry,
  SPENT_TTL_S,
  type SpentBy,
  type StateEntry,
  type StateStore,
} from './state-store.ts';

const WAIT_MS = 50;

/** The server's time in microseconds, as text: a Lua number would lose its last digits. */
const NOW = `local time = redis.call('TIME')
  local now = time[1] .. string.format('%06d', time[2])`;

/** Each script touches the keys of one slot only, so that it runs on a cluster too. */
const PUT = `
  ${NOW}
  if ARGV[1] == '1' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
  local same = redis.call('HGET', KEYS[1], 'account') == ARGV[5]
  redis.call('HSET', KEYS[1], 'payload', ARGV[2], 'grant', ARGV[3], 'account', ARGV[5])
  redis.call(same and 'HSETNX' or 'HSET', KEYS[1], 'born', now)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1`;

/** The entry, what it was spent for, and the server's time in seconds. */
const FIND = `
  local time = redis.call('TIME')
  return { redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]),
           time[1] .. '.' .. string.format('%06d', time[2]) }`;

/**
 * The entry is spent, and its answer kept, or neither. The client sends a command again whose reply
 * was lost with the connection: the attempt tells that it is the same one. Of an entry that was
 * spent before something is written too, for the replicas to confirm.
 */
const CONSUME = `
  if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
  local time = redis.call('TIME')
  local now = time[1] .. '.' .. string.format('%06d', time[2])
  if redis.call('HSETNX', KEYS[1], 'consumed', now) == 0 then
    redis.call('HSET', KEYS[1], 'asked', now)
    return redis.call('HGET', KEYS[2], 'attempt') == ARGV[1] and 1 or 0
  end
  redis.call('HSET', KEYS[2], 'attempt', ARGV[1], 'at', now)
  if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'answer', ARGV[2]) end
  redis.call('EXPIRE', KEYS[2], ARGV[3])
  return 1`;

const SETTLE = `
  if redis.call('HDEL', KEYS[1], 'attempt') == 0 then return 0 end
  redis.call('HSET', KEYS[1], 'settled', 1)
  return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** Never earlier than it was, though a replica whose clock is behind has become the primary. */
const END = `
  ${NOW}
  local was = redis.call('GET', KEYS[1])
  if was and was > now then now = was end
  return redis.call('SET', KEYS[1], now, 'EX', ARGV[1])`;

const BEAR_AGAIN = `
  ${NOW}
  if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
  return redis.call('HSET', KEYS[1], 'born', now)`;

/**
 * Protocol state in Redis: one hash per entry, one string per index. A revoked grant leaves a
 * mark that every look-up asks for, so that a token minted while its grant was revoked is dead
 * too, and no list of a grant's tokens has to be kept. So does an account that was ended: its mark
 * is an instant, and what was born until then is dead.
 *
 * @param waitReplicas replicas that must confirm a consumption (WAIT); 0 for none.
 * @throws {DatabaseUnavailable} from each call that Redis does not answer in time, or not well.
 */
export function redisStateStore(redis: Redis | Cluster, waitReplicas: number): StateStore {
  const store = unguarded(redis, waitReplicas);
  return {
    put: (entry, options) => answered(store.put(entry, options)),
    find: (kind, key) => answered(store.find(kind, key)),
    findBy: (kind, index, value) => answered(store.findBy(kind, index, value)),
    consume: (kind, key, spending) => answered(store.consume(kind, key, spending)),
    settle: (kind, key, keepS) => answered(store.settle(kind, key, keepS)),
    remove: (kind, key) => answered(store.remove(kind, key)),
    revokeGrant: (grantId) => answered(store.revokeGrant(grantId)),
    endAccount: (account, keep) => answered(store.endAccount(account, keep)),
    announce: async (channel) => void (await answered(redis.publish(channel, ''))),
    clear: () => answered(store.clear()),
    ready: () => answered(store.ready()),
    close: store.close,
  };
}

async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof DatabaseUnavailable) throw cause;
    throw new DatabaseUnavailable('Redis did not answer', { cause });
  }
}

function unguarded(redis: Redis | Cluster, waitReplicas: number): StateStore {
  const find = async (kind: string, key: string): Promise<StateEntry | undefined> => {
    const name = entryKey(kind, key);
    const found = (await redis.eval(FIND, 2, name, spentKey(name))) as [string[], string[], string];
    const entry = fieldsOf(found[0]);
    const payload = entry['payload'];
    if (payload === undefined) return undefined;
    const [grant, account] = [entry['grant'], entry['account']];
    const [revoked, ended] = await Promise.all([
      grant ? redis.exists(revokedKey(grant)) : 0,
      account ? redis.get(endedKey(account)) : null,
    ]);
    if (revoked === 1) return undefined;
    if (ended !== null && Number(entry['born']) <= Number(ended)) return undefined;
    const consumed = entry['consumed'];
    return {
      payload: JSON.parse(payload) as Record<string, unknown>,
      ageS: Number(found[2]) - Number(entry['born']) / 1e6,
      ...(consumed === undefined ? {} : { consumedAtS: Number(consumed) }),
      ...(found[1].length === 0 ? {} : { spent: spentBy(fieldsOf(found[1]), Number(found[2])) }),
    };
  };

  return {
    async put(entry, { onlyIfAbsent } = {}) {
      const ttlMs = entry.ttlS * 1000;
      const written = await redis.eval(
        PUT,
        1,
        entryKey(entry.kind, entry.key),
        onlyIfAbsent === true ? '1' : '0',
        JSON.stringify(entry.payload),
        entry.grantId ?? '',
        ttlMs,
        entry.account ?? '',
      );
      if (written !== 1) return false;
      for (const [index, value] of indexesOf(entry)) {
        await redis.set(indexKey(entry.kind, index, value), entry.key, 'PX', ttlMs);
      }
      return true;
    },
    find,
    async findBy(kind, index, value) {
      const key = await redis.get(indexKey(kind, index, value));
      return key === null ? undefined : find(kind, key);
    },
    async consume(kind, key, spending = { attempt: randomUUID() }) {
      const { attempt, answer = '' } = spending;
      if ((await find(kind, key)) === undefined) return 'gone';
      const name = entryKey(kind, key);
      // One pipeline: the replicas that confirm must be those of the node that consumed.
      const pipeline = redis
        .pipeline()
        .eval(CONSUME, 2, name, spentKey(name), attempt, answer, SPENT_TTL_S);
      if (waitReplicas > 0) pipeline.wait(waitReplicas, WAIT_MS);
      const [consumption, confirmation] = (await pipeline.exec()) ?? [];
      const won = replyOf(consumption);
      if (won !== -1 && waitReplicas > 0 && Number(replyOf(confirmation)) < waitReplicas) {
        // What it consumed stays spent: failing to serve is safer than serving twice.
        throw new DatabaseUnavailable('Redis replicas did not confirm a consumed token');
      }
      return won === 1 ? 'won' : won === 0 ? 'already' : 'gone';
    },
    async settle(kind, key, keepS) {
      const name = spentKey(entryKey(kind, key));
      if (keepS === 0) await redis.del(name);
      else await redis.eval(SETTLE, 1, name, keepS * 1000);
    },
    async remove(kind, key) {
      await redis.del(entryKey(kind, key));
    },
    async revokeGrant(grantId) {
      await redis.set(revokedKey(grantId), '1', 'EX', END_TTL_S);
    },
    async endAccount(account, keep) {
      await redis.eval(END, 1, endedKey(account), END_TTL_S);
      if (keep !== undefined) {
        await redis.eval(BEAR_AGAIN, 1, entryKey(keep.kind, keep.key), account);
      }
    },
    async clear() {
      await Promise.all(mastersOf(redis).map(removeAll));
    },
    ready: async () => {
      await Promise.all(mastersOf(redis).map(writeTo));
    },
    close: async () => {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

function spentBy({ attempt, answer, at, settled }: Fields, nowS: number): SpentBy {
  return {
    forS: nowS - Number(at),
    settled: settled === '1',
    ...(attempt === undefined ? {} : { attempt }),
    ...(answer === undefined ? {} : { answer }),
  };
}

type Fields = Readonly<Partial<Record<string, string>>>;

/** A script gives a hash as a list. */
function fieldsOf(list: readonly string[]): Fields {
  return Object.fromEntries(list.flatMap((name, n) => (n % 2 === 0 ? [[name, list[n + 1]]] : [])));
}

/** @throws what Redis answered instead of a value. */
function replyOf(answer: readonly [error: Error | null, value: unknown] | undefined): unknown {
  if (answer === undefined) throw new DatabaseUnavailable('Redis did not answer');
  const [error, value] = answer;
  if (error !== null) throw error;
  return value;
}

/** Distinguishes them without loading the library for it. */
function isCluster(redis: Redis | Cluster): redis is Cluster {
  return 'nodes' in redis;
}

function mastersOf(redis: Redis | Cluster): readonly Redis[] {
  const masters = isCluster(redis) ? redis.nodes('master') : [redis];
  if (masters.length === 0) throw new DatabaseUnavailable('no Redis master is known');
  return masters;
}

/** What this service keeps on one server; others may keep theirs beside it. */
async function removeAll(server: Redis): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await server.scan(cursor, 'MATCH', '*cls:auth:*', 'COUNT', 1_000);
    // One by one: keys of a cluster's server are of several slots.
    await Promise.all(keys.map((key) => server.unlink(key)));
    cursor = next;
  } while (cursor !== '0');
}

const PROBE_TTL_S = 60;
const PROBES_MAX = 500;

/**
 * Writes to one server. One of a cluster refuses keys of others: the next may be its own. One that
 * refuses them all has no slots, and nothing is kept there.
 */
async function writeTo(server: Redis): Promise<void> {
  for (let n = 0; n < PROBES_MAX; n += 1) {
    try {
      await server.set(`cls:auth:ready:${n}`, '1', 'EX', PROBE_TTL_S);
      return;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('MOVED '))) throw error;
    }
  }
}

function indexesOf({ uid, userCode }: NewStateEntry): readonly ['uid' | 'userCode', string][] {
  return [
    ...(uid === undefined ? [] : ([['uid', uid]] as const)),
    ...(userCode === undefined ? [] : ([['userCode', userCode]] as const)),
  ].map(([index, value]) => [index, value]);
}

function entryKey(kind: string, key: string): string {
  return `cls:auth:${kind}:${key}`;
}

/** In the slot of the entry itself: a script may touch both. */
function spentKey(name: string): string {
  return name.includes('{') ? `${name}:spent` : `{${name}}:spent`;
}

function indexKey(kind: string, index: string, value: string): string {
  return `cls:auth:${kind}:${index}:${value}`;
}

function endedKey(account: string): string {
  return `cls:auth:ended-account:${account}`;
}

function revokedKey(grantId: string): string {
  return `cls:auth:revoked-grant:${grantId}`;
}
