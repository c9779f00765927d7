import { setTimeout as sleep } from 'node:timers/promises';
import { answerTimeout } from '@cls/shared/answer-timeout';
import type { Log } from '@cls/shared/log';
import type { ObserveCommand } from '@cls/shared/metrics/redis-commands';
import { type OutageLog, whyFailed } from '@cls/shared/outage-log';
import type { Secret } from '@cls/shared/secret';
import { parseRedisUrl, type RedisAddress } from '@cls/shared/service/redis-address';
import { redisOutage } from '@cls/shared/service/redis-outage';
import { createClient, createCluster, createSentinel } from 'redis';

const COMMAND_TIMEOUT_MS = 500;
const RECONNECT_MS = 500;
const READY_MS = 5_000;
const RETRY_MS = 50;

/** Scripts that run on the node of their keys, which is one node in a Cluster, too. */
export interface RedisScripts {
  /** @throws {Error} when Redis does not answer in time. */
  run(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** Hears what is published, on a connection of its own; while Redis is away, nothing. */
  subscribe(channel: string, listener: () => void): void;
  /** Resolves when a server answers. @throws {Error} after some seconds without one. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

function observedScripts(send: RedisScripts['run'], observe: ObserveCommand): RedisScripts['run'] {
  return async (...script) => {
    const end = observe('eval');
    try {
      const answer = await send(...script);
      end(false);
      return answer;
    } catch (error) {
      end(true);
      throw error;
    }
  };
}

/** What the three kinds of client have in common. */
interface Connection {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

/** @throws {DatabaseUnavailable} when the URL cannot be read. */
export function connectRedis(url: Secret, log: Log, observe?: ObserveCommand): RedisScripts {
  const outage = redisOutage(log);
  const connection = keepConnected(parseRedisUrl(url.expose()), outage);
  const send: RedisScripts['run'] = async (script, keys, values) => {
    const sent = connection.current().eval(script, { keys: [...keys], arguments: [...values] });
    const answer = await withinTime(sent);
    outage.answered();
    return answer;
  };
  const stops = [connection.stop];
  const run = observe === undefined ? send : observedScripts(send, observe);
  return {
    run,
    async ready() {
      const until = Date.now() + READY_MS;
      for (;;) {
        try {
          await run('return 1', ['cls:api:ready'], []);
          return;
        } catch (error) {
          if (Date.now() >= until) throw error;
          await sleep(RETRY_MS);
        }
      }
    },
    subscribe(channel, listener) {
      const hearing = keepConnected(parseRedisUrl(url.expose()), outage, (client) =>
        client.subscribe(channel, listener),
      );
      stops.push(hearing.stop);
    },
    stop: async () => void (await Promise.all(stops.map((stop) => stop()))),
  };
}

/**
 * Connects in the background: a Redis that is down must not keep the API from starting.
 * A single server's client tries for ever by itself; the others give up, and are made anew.
 */
function keepConnected(
  address: RedisAddress,
  outage: OutageLog,
  begin: (client: Connection) => Promise<unknown> = async () => undefined,
) {
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let client: Connection;
  const open = () => {
    client = clientFor(address);
    client.on('error', (error) => outage.failed(whyFailed(error)));
    // Also where nobody asks for something.
    client.on('ready', outage.answered);
    const connected = client.connect().then(() => begin(client));
    connected.catch((error: Error) => {
      if (stopped) return;
      discard(client);
      outage.failed(whyFailed(error));
      retry = setTimeout(open, RECONNECT_MS);
    });
  };
  open();
  return {
    current: () => client,
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client.destroy();
    },
  };
}

/** It gave up by itself, or did not do what it was opened for. */
function discard(client: Connection): void {
  try {
    client.destroy();
  } catch {
    // It was closed.
  }
}

function clientFor({ topology, nodes, tls, username, password, master = '', db }: RedisAddress) {
  const node = {
    disableOfflineQueue: true,
    pingInterval: 1_000,
    socket: {
      socketTimeout: 3_000,
      connectTimeout: 2_000,
      reconnectStrategy: () => RECONNECT_MS,
      ...(tls ? { tls: true as const } : {}),
    },
  };
  const login = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  const database = db === undefined ? {} : { database: db };
  const commandOptions = { timeout: COMMAND_TIMEOUT_MS };
  if (topology === 'cluster') {
    const rootNodes = nodes.map(({ host, port }) => ({
      socket: { ...node.socket, host, port },
    }));
    const defaults = { ...node, ...login };
    return createCluster({ rootNodes, defaults, commandOptions });
  }
  if (topology === 'sentinel') {
    return createSentinel({
      name: master,
      sentinelRootNodes: [...nodes],
      nodeClientOptions: { ...node, ...login, ...database },
      sentinelClientOptions: node,
      scanInterval: 1_000,
      commandOptions,
    });
  }
  const [only] = nodes;
  const socket = { ...node.socket, host: only?.host ?? '', port: only?.port ?? 0 };
  return createClient({
    ...{ ...node, ...login, ...database, socket, commandOptions },
  });
}

/** Also where the library waits for a node that is gone. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = answerTimeout(() => reject(new Error('Redis did not answer')), COMMAND_TIMEOUT_MS);
  });
  // What comes after nobody waits any more must not count as unhandled.
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
