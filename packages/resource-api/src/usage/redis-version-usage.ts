import { DAY_MS } from '@cls/shared/clock';
import type { RedisScripts } from '../access/redis-connection.ts';
import {
  type CustomerUsage,
  callerUses,
  subjectKey,
  subjectOf,
  type UsageBatch,
  type UsageCount,
  type UsageStore,
  type UsageSummaries,
} from './version-usage.ts';

const KEPT_DAYS = 400;

/** The keys of a day stand on one node of a Cluster. */
const keysOf = (day: string) => [`cls:api:usage:{${day}}`, `cls:api:usage:{${day}}:sources`];

const ADD = `
  local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
  if last >= tonumber(ARGV[2]) then return 0 end
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  for i = 4, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[3])
  return 1`;
const READ = `return redis.call('HGETALL', KEYS[1])`;
/** Of the subjects that begin with a text. */
const READ_SOME = `
  local all, some = redis.call('HGETALL', KEYS[1]), {}
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, #ARGV[1]) == ARGV[1] then
      some[#some + 1] = all[i]
      some[#some + 1] = all[i + 1]
    end
  end
  return some`;

/** A hash for each day, from a subject to its requests. */
export function redisVersionUsage(
  redis: RedisScripts,
  now: () => Date,
): UsageStore & UsageSummaries & CustomerUsage {
  async function* countsByDay(first: string): AsyncGenerator<readonly UsageCount[]> {
    const days: string[] = [];
    for (let at = Date.parse(first); at <= now().getTime() + DAY_MS; at += DAY_MS) {
      days.push(new Date(at).toISOString().slice(0, 10));
    }
    for (const day of days.slice(-KEPT_DAYS)) {
      const [key = ''] = keysOf(day);
      yield countsIn(await redis.run(READ, [key], []));
    }
  }
  return {
    async add(batch) {
      for (const [day, counts] of byDay(batch)) {
        const values = counts.flatMap((count) => [subjectKey(count), `${count.requests}`]);
        const ttl = `${(KEPT_DAYS * DAY_MS) / 1_000}`;
        await redis.run(ADD, keysOf(day), [batch.source, `${batch.number}`, ttl, ...values]);
      }
    },
    async since(first) {
      const found = [];
      for await (const counts of countsByDay(first)) found.push(...counts);
      return found;
    },
    async summarize(first, requested) {
      const sums = callerUses();
      for await (const counts of countsByDay(first)) {
        for (const { day: lastDay, ...use } of counts) {
          if (requested.includes(use.requested)) sums.add({ ...use, lastDay });
        }
      }
      return sums.list();
    },
    async ofCustomer(customer, firstDay, lastDay) {
      const found = [];
      for (let at = Date.parse(firstDay); at <= Date.parse(lastDay); at += DAY_MS) {
        const day = new Date(at).toISOString().slice(0, 10);
        const [key = ''] = keysOf(day);
        // As `subjectKey` begins.
        const begin = `${JSON.stringify([day, customer]).slice(0, -1)},`;
        found.push(...countsIn(await redis.run(READ_SOME, [key], [begin])));
      }
      return found;
    },
  };
}

/** @param reply of a hash: a subject, its requests, another subject, … */
function countsIn(reply: unknown): UsageCount[] {
  const fields = reply as readonly string[];
  return Array.from({ length: fields.length / 2 }, (_, index) => ({
    ...subjectOf(fields[2 * index] ?? ''),
    requests: Number(fields[2 * index + 1]),
  }));
}

function byDay({ counts }: UsageBatch): Map<string, UsageBatch['counts']> {
  const days = new Map<string, UsageBatch['counts']>();
  for (const count of counts) days.set(count.day, [...(days.get(count.day) ?? []), count]);
  return days;
}
