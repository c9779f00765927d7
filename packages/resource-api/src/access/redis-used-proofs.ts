import { proofsUnavailable } from '@cls/shared/access/token-refusals';
import type { UsedProofs } from '@cls/shared/access/used-proofs';
import type { RedisScripts } from './redis-connection.ts';

const USE = `return redis.call('SET', KEYS[1], '', 'NX', 'EX', ARGV[1]) and 1 or 0`;
const PREFIX = 'cls:api:proof:';

/** Those of all replicas. While Redis is down, callers whose tokens are bound to a key hear 503. */
export function redisUsedProofs(redis: RedisScripts): UsedProofs {
  return {
    async use(id, ttlS) {
      try {
        return (await redis.run(USE, [`${PREFIX}${id}`], [`${ttlS}`])) === 1;
      } catch (cause) {
        throw proofsUnavailable({ cause });
      }
    },
  };
}
