import { Redis, ReplyError } from 'ioredis';
import type { RedisAddress } from '../service/redis-address.ts';

/** What Redis answers; an error answer is an Error. */
export type Reply = string | number | null | Error | readonly Reply[];

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

const TIMEOUT_MS = 3_000;

/**
 * Asks one server, and no other, whatever it says of the rest of its cluster: with its defaults the
 * library would go round a node that is down.
 *
 * @throws {Error} when it does not answer.
 */
export async function askRedisNode(
  { host, port }: RedisNode,
  { tls, username, password }: Pick<RedisAddress, 'tls' | 'username' | 'password'>,
  commands: readonly (readonly string[])[],
): Promise<readonly Reply[]> {
  const redis = new Redis({
    ...{ host, port, ...(tls && { tls: { servername: host } }) },
    ...{ lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 },
    ...{ connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS },
    // Neither HELLO, INFO nor CLIENT before AUTH, whose refusal is what the operator must see.
    ...{ protocol: 2 as const, enableReadyCheck: false, disableClientInfo: true },
  });
  let failure: Error | undefined;
  redis.on('error', (error: Error) => {
    failure ??= error;
  });
  const ask = ([name = '', ...words]: readonly string[]): Promise<Reply> =>
    redis.call(name, ...words).then(
      (reply) => reply as Reply,
      (error: Error) => {
        if (error instanceof ReplyError) return error;
        throw error;
      },
    );
  try {
    await redis.connect();
    const login =
      password === undefined
        ? null
        : await ask(['AUTH', ...(username ? [username] : []), password]);
    if (login instanceof Error) throw login;
    return await Promise.all(commands.map(ask));
  } catch (error) {
    throw /timed out|ETIMEDOUT/.test(`${failure ?? error}`)
      ? new Error('it does not answer')
      : (failure ?? error);
  } finally {
    redis.disconnect();
  }
}
