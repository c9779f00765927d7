import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Overloaded } from '../sql/database.ts';
import {
  type Answer,
  end,
  NO_HOST,
  NO_TUNNEL,
  NOT_HTTP,
  type OverloadAnswer,
  refuse,
  refuseOverload,
  UNREADABLE,
} from './early-answers.ts';
import { PROBES } from './request-log.ts';

/** Told of each request that was refused because it could not be read. */
export type RecordUnreadable = (status: number) => void;

/** What was full: the requests under way, or a queue that the request would have joined. */
export type FullQueue = 'request' | 'queue';

/**
 * Whether the service would refuse the request later, because it has to join a queue that is full. Asked
 * of each request. @param ahead requests that have not begun, and may join the queue before it.
 */
export type FindsFullQueue = (request: IncomingMessage, ahead: number) => boolean;

/** Kept by the server. Probes are among them. */
export interface RequestCount {
  underWay: number;
}

/** What a server does when too much arrives. */
export interface Shedding extends OverloadAnswer {
  readonly requests: RequestCount;
  /** Further requests are refused, before anything is read, asked or compared for them. */
  readonly requestsAtOnce: number;
  readonly findsFullQueue?: FindsFullQueue | undefined;
  readonly onRefused: (what: FullQueue, refusal: Overloaded, requestId: string) => void;
}

/** Made once: to write down its stack would be a fifth of the time of a refusal. */
const TOO_MANY: Readonly<Record<FullQueue, Overloaded>> = {
  request: new Overloaded('too many requests are under way'),
  queue: new Overloaded('too many questions wait for the database'),
};

/**
 * Refuses what is beyond the limit. This takes a small part of the time of any answer: else the
 * refusals themselves would be the overload. Probes are always answered.
 */
function shed(
  { requests, requestsAtOnce, findsFullQueue = () => false, onRefused, ...answer }: Shedding,
  baseUrl: string,
  listener: RequestListener,
  starts: RequestStarts,
): RequestListener {
  const refuse = (request: IncomingMessage, response: ServerResponse, what: FullQueue) =>
    onRefused(what, TOO_MANY[what], refuseOverload(request, response, answer, baseUrl));
  return (request, response) => {
    const probe = isProbe(request);
    if (!probe && requests.underWay >= requestsAtOnce) return refuse(request, response, 'request');
    if (!probe && findsFullQueue(request, starts.waiting))
      return refuse(request, response, 'queue');
    requests.underWay += 1;
    response.once('close', () => {
      requests.underWay -= 1;
    });
    if (probe) return listener(request, response);
    starts.begin(() => {
      // The queue may have filled while the request waited.
      const isLate = findsFullQueue(request, 0);
      if (isLate) refuse(request, response, 'queue');
      else listener(request, response);
      return !isLate;
    });
  };
}

/** Turns of the event loop, each with a new connection, for which requests wait before some begin. */
const TURNS = 64;
/** What such a round may take: fewer requests begin in the next one where it took longer. */
const ROUND_MS = 25;
const BEGIN_MAX = 32;

interface RequestStarts {
  /** Requests that wait to begin. */
  readonly waiting: number;
  /**
   * Begins work on a request: at once, or when the connections that wait were taken. @param begin false
   * where the request needed no work.
   */
  begin(begin: () => boolean): void;
}

/**
 * Takes connections before it begins requests. Node takes one connection in each turn of the event
 * loop (libuv 1.45 and newer). Where each turn also works on requests, a burst of connections waits
 * unseen in the kernel until all the work before it is done, and the limit of requests under way is
 * never reached: nobody is refused, and everybody waits. So while each turn brings a connection,
 * requests are read, counted and refused, and few begin.
 */
function acceptFirst(server: Server): RequestStarts {
  const waiting: (() => boolean)[] = [];
  let accepted = false;
  let scheduled = false;
  let turns = 0;
  let beginAtOnce = BEGIN_MAX;
  let sinceMs = 0;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  };
  const turn = () => {
    scheduled = false;
    const more = accepted;
    accepted = false;
    if (waiting.length === 0) return;
    turns += 1;
    if (more && turns < TURNS) return schedule();
    const nowMs = performance.now();
    if (!more) beginAtOnce = BEGIN_MAX;
    else if (nowMs - sinceMs > ROUND_MS) beginAtOnce = Math.max(1, beginAtOnce >> 1);
    else beginAtOnce = Math.min(BEGIN_MAX, beginAtOnce * 2);
    for (let begun = 0; begun < beginAtOnce && waiting.length > 0; ) {
      if (waiting.shift()?.()) begun += 1;
    }
    [turns, sinceMs] = [0, nowMs];
    if (waiting.length > 0) schedule();
  };
  server.on('connection', () => {
    accepted = true;
    schedule();
  });
  return {
    get waiting() {
      return waiting.length;
    },
    begin(begin) {
      if (!accepted && waiting.length === 0) return void begin();
      if (waiting.length === 0) [turns, sinceMs] = [0, performance.now()];
      waiting.push(begin);
      schedule();
    },
  };
}

/** `/livez` and `/readyz`. */
export function isProbe({ url = '' }: IncomingMessage): boolean {
  return PROBES.includes(url);
}

/**
 * A server that answers with a problem document (RFC 9457) also what Node refuses by itself, with
 * an empty body: a request that is not HTTP, that is too large, or that arrives too slowly.
 *
 * @param baseUrl of the deployment: its documentation explains each problem.
 * @param recordUnreadable no other code hears of these requests.
 */
export function createHttpServer(
  options: ServerOptions,
  baseUrl: string,
  listener: RequestListener,
  shedding?: Shedding,
  recordUnreadable: RecordUnreadable = () => undefined,
): Server {
  const underWay = new WeakMap<Duplex, readonly ServerResponse[]>();
  const server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
    const earlier = underWay.get(request.socket) ?? [];
    underWay.set(request.socket, [...earlier.filter(isUnfinished), response]);
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      recordUnreadable(NO_HOST.status);
      return refuse(response, baseUrl, NO_HOST);
    }
    counted(request, response);
  });
  const counted =
    shedding === undefined ? listener : shed(shedding, baseUrl, listener, acceptFirst(server));
  const refuseUnread = (socket: Duplex, answer: Answer) => {
    recordUnreadable(answer.status);
    end(socket, baseUrl, answer);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Part of an answer was written already, and this one would look like its continuation.
    const begun = underWay.get(socket)?.some((one) => one.headersSent && isUnfinished(one));
    if (begun || !socket.writable || error.code === 'ECONNRESET') socket.destroy(error);
    else refuseUnread(socket, UNREADABLE[error.code ?? ''] ?? NOT_HTTP);
  });
  server.on('connect', (_, socket) => refuseUnread(socket, NO_TUNNEL));
  // RFC 9110 §10.1.1: an expectation that nobody knows may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

function isUnfinished({ writableFinished }: ServerResponse): boolean {
  return !writableFinished;
}
