import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type Metrics, noMetrics, oneValue } from '../metrics/metrics.ts';
import { warnOfIgnoredForwarding } from './client-address.ts';
import { countedLines } from './counted-lines.ts';
import {
  type ChooseOverloadPage,
  HEADERS_S,
  REQUEST_S,
  UNREADABLE_STATUSES,
} from './early-answers.ts';
import { faultLog, type LogFault } from './fault-log.ts';
import {
  createHttpServer,
  type FindsFullQueue,
  type FullQueue,
  isProbe,
  type RecordUnreadable,
  type RequestCount,
  type Shedding,
} from './http-server.ts';
import { listening } from './listening.ts';
import { cutSlowReaders, type ReaderLimits } from './slow-readers.ts';

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
  readonly limits?: Partial<HttpLimits>;
  /** What a program gets with 503 when too many requests are under way; a problem document when undefined. */
  readonly overloadedBody?: object;
  /** What a browser gets then; the same as a program when undefined. */
  readonly overloadPage?: ChooseOverloadPage;
  /** Such requests are refused too; none when undefined. */
  readonly findsFullQueue?: FindsFullQueue;
  /** A further port that answers probes alone, and that callers cannot fill; 0: none. */
  readonly healthPort?: number;
  readonly metrics?: Metrics;
}

/** What one process takes at once, and how long it waits for a slow peer; times in milliseconds. */
export interface HttpLimits extends ReaderLimits {
  /** Requests under way; further ones are refused. */
  readonly requestsAtOnce: number;
  /** Open connections, idle ones too; further ones are closed unread. */
  readonly connections: number;
  /** From the first byte of a request, or the begin of its connection, to the end of its headers. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /** Without a byte in either direction. */
  readonly silenceMs: number;
  /** Between two requests of a connection. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
}

const LIMITS: HttpLimits = {
  requestsAtOnce: 256,
  connections: 5_000,
  headersMs: HEADERS_S * 1_000,
  requestMs: REQUEST_S * 1_000,
  silenceMs: 120_000,
  readerMs: 60_000,
  readerBytesPerS: 4_096,
  idleMs: 65_000,
  checkMs: 2_000,
};
const HEADERS_MAX_BYTES = 32_768;

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
  let health: Server | undefined;
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
      await stop(server, silent, options);
      health?.close();
      health?.closeAllConnections();
    },
  };
  const handler = handlerFor(service);
  const limits = { ...LIMITS, ...options.limits };
  const metrics = options.metrics ?? noMetrics;
  const shed = shedCounter(metrics);
  const requests: RequestCount = { underWay: 0 };
  measureRequests(metrics, requests, limits);
  const server = createHttpServer(
    {
      maxHeaderSize: HEADERS_MAX_BYTES,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.idleMs,
    },
    options.baseUrl,
    handler,
    {
      requests,
      requestsAtOnce: limits.requestsAtOnce,
      findsFullQueue: options.findsFullQueue,
      body: options.overloadedBody,
      page: options.overloadPage,
      onRefused: countedFaults(faultLog(options.log), shed),
    },
    unreadableRecorder(metrics, options.log),
  );
  const silent = silentConnections(server);
  server.on('drop', () => shed('connection'));
  server.timeout = limits.silenceMs;
  server.maxConnections = limits.connections;
  warnOfDrops(server, options.log);
  cutSlowReaders(server, limits, slowReaderRecorder(metrics, options.log));
  if (options.trustedProxyHops === 0) warnOfIgnoredForwarding(server, options.log);
  state.port = await listening(server, options);
  try {
    health = await listenForProbes(options, handler);
  } catch (error) {
    server.close();
    throw error;
  }
  return service;
}

type CountShed = (what: FullQueue | 'connection') => void;

function shedCounter(metrics: Metrics): CountShed {
  const count = metrics.counter({
    name: 'cls_shed_total',
    help: 'What was refused at once, because as many as are allowed were open, under way or waiting.',
    labels: { what: ['request', 'queue', 'connection'] },
  });
  return (what) => count({ what });
}

/** Both, so that a rule can find a service that is full where the ingress refuses what is more. */
function measureRequests(
  metrics: Metrics,
  requests: RequestCount,
  { requestsAtOnce }: HttpLimits,
): void {
  metrics.gauge(
    { name: 'cls_requests_under_way', help: 'Requests that wait for their answer.', labels: {} },
    () => oneValue(requests.underWay),
  );
  metrics.gauge(
    { name: 'cls_requests_limit', help: 'How many may be under way at once.', labels: {} },
    () => oneValue(requestsAtOnce),
  );
}

function countedFaults(logFault: LogFault, shed: CountShed): Shedding['onRefused'] {
  return (what, err, requestId) => {
    shed(what);
    logFault(err, requestId);
  };
}

function warnOfDrops(server: Server, log: Log): void {
  const count = countedLines<'dropped'>((counts) =>
    log.warn(counts, 'connections are closed unread: as many are open as MAX_CONNECTIONS allows'),
  );
  server.on('drop', () => count('dropped'));
}

/** Such requests reach no handler, and have no line and no route of their own. */
function unreadableRecorder(metrics: Metrics, log: Log): RecordUnreadable {
  const measure = metrics.counter({
    name: 'cls_unreadable_requests_total',
    help: 'Requests that were refused before they could be read: not HTTP, too large, or too slow.',
    labels: { status: UNREADABLE_STATUSES },
  });
  const count = countedLines((refused) =>
    log.warn(
      { refused },
      'requests were refused unread, by status: not HTTP, too large or too slow',
    ),
  );
  return (status) => {
    measure({ status: `${status}` });
    count(`${status}`);
  };
}

function slowReaderRecorder(metrics: Metrics, log: Log): () => void {
  const measure = metrics.counter({
    name: 'cls_slow_readers_total',
    help: 'Connections that were closed because the caller read its answer too slowly.',
    labels: {},
  });
  const count = countedLines<'closed'>((counts) =>
    log.warn(
      counts,
      'connections are closed: their callers read more slowly than SLOW_READER_BYTES_PER_S',
    ),
  );
  return () => {
    measure({});
    count('closed');
  };
}

const PROBE_CONNECTIONS = 100;
const NOTHING_ELSE = JSON.stringify({ status: 'this port answers /livez and /readyz alone' });

/** The health of the service on a port of its own, if there is one. @throws {PortUnavailable} */
async function listenForProbes(
  { healthPort = 0, host, baseUrl }: HttpServiceOptions,
  handler: RequestListener,
): Promise<Server | undefined> {
  if (healthPort === 0) return undefined;
  const limits = { requestTimeout: LIMITS.headersMs, headersTimeout: LIMITS.headersMs };
  const server = createHttpServer(limits, baseUrl, (request, response) => {
    if (isProbe(request)) return handler(request, response);
    response.writeHead(404, { 'Content-Type': 'application/json' }).end(NOTHING_ELSE);
  });
  server.maxConnections = PROBE_CONNECTIONS;
  await listening(server, { host, port: healthPort });
  return server;
}

/** How long a connection is quiet before no request is on its way. */
const QUIET_MS = 100;

/** A turn of the event loop in which nearly nothing was done. */
const QUICK_TURN_MS = 1;
/** How long a service that is busy all the time looks for one. */
const LOOK_MS = 1_000;

/**
 * Until a quick turn of the event loop that brought no connection. `close` resets what waits in the
 * kernel for being taken, though a proxy may have sent a request on it already; a proxy does not try one
 * again elsewhere that may have been done, such as a POST.
 */
async function noneWaits(server: Server): Promise<void> {
  let came = 0;
  const count = () => {
    came += 1;
  };
  server.on('connection', count);
  const end = performance.now() + LOOK_MS;
  let isQuiet = false;
  while (!isQuiet && performance.now() < end) {
    const [before, since] = [came, performance.now()];
    await new Promise(setImmediate);
    isQuiet = came === before && performance.now() - since < QUICK_TURN_MS;
  }
  server.off('connection', count);
}

/** Connections that sent nothing yet: to Node they are not idle, because a request may be on its way. */
function silentConnections(server: Server): { close(): void } {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const silent = new WeakSet<Socket>();
  return {
    close: () => {
      for (const socket of open) {
        if (socket.bytesRead > 0) continue;
        // What came while the event loop was busy is read before the next look.
        if (silent.has(socket)) socket.destroy();
        silent.add(socket);
      }
    },
  };
}

async function stop(
  server: Server,
  silent: { close(): void },
  { drainDelayMs, drainTimeoutMs }: HttpServiceOptions,
): Promise<void> {
  // Busy keep-alive connections never fall idle by themselves: each answer ends its own. It does so during
  // the delay already, so that a proxy keeps few connections on which it could send when they are closed.
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  await sleep(drainDelayMs);
  const closeIdleOnes = server.closeIdleConnections.bind(server);
  const closeIdle = () => {
    closeIdleOnes();
    silent.close();
  };
  server.closeIdleConnections = () => undefined; // `close` would call it, and cut what is on its way.
  await noneWaits(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, sleep(QUIET_MS)]);
  const idle = setInterval(closeIdle, 50);
  closeIdle();
  const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
