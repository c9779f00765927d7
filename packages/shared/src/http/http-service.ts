import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { warnOfIgnoredForwarding } from './client-address.ts';
import { createHttpServer } from './http-server.ts';
import { listening } from './listening.ts';

/** Where a service listens, and how it stops; times in milliseconds. */
export interface HttpServiceOptions {
  /** An address of this machine; undefined listens on all of them. */
  readonly host: string | undefined;
  /** 0 picks a free port. */
  readonly port: number;
  /** How long, once stopping, new requests are still answered while load balancers notice. */
  readonly drainDelayMs: number;
  /** How long requests under way may take to end before their connections are cut. */
  readonly drainTimeoutMs: number;
  /** How many proxies in front are believed; with 0, forwarded headers are ignored. */
  readonly trustedProxyHops: number;
  /** Of the deployment, as callers reach it: problems link to its documentation. */
  readonly baseUrl: string;
  readonly log: Log;
}

/** A server that listens. */
export interface HttpService {
  /** The one that it listens on. */
  readonly port: number;
  /** True from the first call of `stop`: readiness answers 503 from then on. */
  readonly draining: boolean;
  /** Resolves when no connection is left; a second call at once. */
  stop(): Promise<void>;
}

/**
 * Listens, with limits against slow and oversized requests, and stops without breaking a request
 * that is under way.
 *
 * @throws {PortUnavailable}
 */
export async function startHttpService(
  options: HttpServiceOptions,
  handlerFor: (service: HttpService) => RequestListener,
): Promise<HttpService> {
  const state = { draining: false, port: options.port };
  const service: HttpService = {
    get port() {
      return state.port;
    },
    get draining() {
      return state.draining;
    },
    stop: async () => {
      if (state.draining) return;
      state.draining = true;
      await stop(server, options);
    },
  };
  const server = createHttpServer(
    {
      maxHeaderSize: 32_768,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    },
    options.baseUrl,
    handlerFor(service),
  );
  if (options.trustedProxyHops === 0) warnOfIgnoredForwarding(server, options.log);
  state.port = await listening(server, options);
  return service;
}

/** How long a connection is quiet before no request is on its way. */
const QUIET_MS = 100;

async function stop(
  server: Server,
  { drainDelayMs, drainTimeoutMs }: HttpServiceOptions,
): Promise<void> {
  await sleep(drainDelayMs);
  // Busy keep-alive connections never fall idle by themselves: each answer ends its own.
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined; // `close` would call it, and cut what is on its way.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, sleep(QUIET_MS)]);
  const idle = setInterval(closeIdle, 50);
  closeIdle();
  const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
