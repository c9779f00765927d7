import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Middleware } from 'koa';
import { Overloaded } from '../sql/database.ts';
import { acceptFirst, type BeginRequest } from './accept-first.ts';
import { type ProblemCode, problemType } from './problem-codes.ts';
import { newRequestId } from './request-id.ts';
import { PROBES } from './request-log.ts';

interface Answer {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
}

const NOT_HTTP: Answer = {
  status: 400,
  code: 'invalid_request',
  title: 'Request not valid',
  detail: 'The request is not valid HTTP.',
};
const NO_HOST: Answer = { ...NOT_HTTP, detail: 'expected a Host header with HTTP/1.1' };
const NO_TUNNEL: Answer = {
  ...NOT_HTTP,
  detail: 'CONNECT is not supported: this host is not a proxy.',
};

/** By the codes of Node's errors. */
const UNREADABLE: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'too_large',
    title: 'Request too large',
    detail: 'The address and the headers must not be larger than 32 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'too_large',
    title: 'Request too large',
    detail: 'The chunk extensions are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    title: 'Request took too long',
    detail: 'The request did not arrive completely in time.',
  },
};

export const UNREADABLE_STATUSES: readonly string[] = [
  ...new Set([NOT_HTTP, ...Object.values(UNREADABLE)].map(({ status }) => `${status}`)),
];
/** Told of each request that was refused because it could not be read. */
export type RecordUnreadable = (status: number) => void;

const beyond = new WeakSet<IncomingMessage>();

/**
 * Refuses a browser's request beyond the limit, where the service has the steps that show its pages.
 * @throws {Overloaded}
 */
export const refuseBeyondLimit: Middleware = (ctx, next) => {
  if (beyond.has(ctx.req)) throw new Overloaded(TOO_MANY);
  return next();
};

/** What a server does when too much arrives. */
export interface Shedding {
  /** Further requests are refused, before anything is read, asked or compared for them. */
  readonly requestsAtOnce: number;
  /** The members of the body in the protocol of the service; a problem document when undefined. */
  readonly body?: object | undefined;
  readonly onRefused: (refusal: Overloaded, requestId: string) => void;
}

const TOO_MANY = 'too many requests are under way';
const OVERLOADED: Answer = {
  status: 503,
  code: 'unavailable',
  title: 'Service unavailable',
  detail: 'Too many requests are under way. Try again later.',
};
const RETRY_AFTER_S = '2';

/**
 * Refuses what is beyond the limit. This takes a small part of the time of any answer: else the
 * refusals themselves would be the overload. Probes are always answered.
 */
function shed(
  { requestsAtOnce, body, onRefused }: Shedding,
  baseUrl: string,
  listener: RequestListener,
  begin: BeginRequest,
): RequestListener {
  let underWay = 0;
  return (request, response) => {
    if (underWay >= requestsAtOnce && !isProbe(request)) {
      if (request.headers.accept?.includes('text/html')) {
        beyond.add(request);
        return listener(request, response);
      }
      const { headers, body: text } = problem(OVERLOADED, baseUrl, body);
      // The connection goes on, unless its caller or a stop ends it: Node says which.
      const { Connection: _, ...others } = headers;
      response.writeHead(OVERLOADED.status, { ...others, 'Retry-After': RETRY_AFTER_S });
      response.end(request.method === 'HEAD' ? '' : text);
      return onRefused(new Overloaded(TOO_MANY), headers['X-Request-Id']);
    }
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
    if (isProbe(request)) listener(request, response);
    else begin(() => listener(request, response));
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
  const server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
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
  const underWay = new WeakMap<Duplex, readonly ServerResponse[]>();
  server.on('request', ({ socket }, response) => {
    const earlier = (underWay.get(socket) ?? []).filter(
      ({ writableFinished }) => !writableFinished,
    );
    underWay.set(socket, [...earlier, response]);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Part of an answer was written already, and this one would look like its continuation.
    const begun = underWay.get(socket)?.some((one) => one.headersSent && !one.writableFinished);
    if (begun || !socket.writable || error.code === 'ECONNRESET') socket.destroy(error);
    else refuseUnread(socket, UNREADABLE[error.code ?? ''] ?? NOT_HTTP);
  });
  server.on('connect', (_, socket) => refuseUnread(socket, NO_TUNNEL));
  // RFC 9110 §10.1.1: an expectation that nobody knows may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

function refuse(response: ServerResponse, baseUrl: string, answer: Answer): void {
  const { headers, body } = problem(answer, baseUrl);
  response.writeHead(answer.status, headers).end(response.req.method === 'HEAD' ? '' : body);
}

/** Nothing more is read from this connection. */
function end(socket: Duplex, baseUrl: string, answer: Answer): void {
  socket.end(written(answer, baseUrl), () => socket.destroy());
}

/** The whole message, where no request could be read that a response could belong to. */
function written(answer: Answer, baseUrl: string): string {
  const { headers, body } = problem(answer, baseUrl);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`;
  return `${status}${lines.join('')}Date: ${new Date().toUTCString()}\r\n\r\n${body}`;
}

function problem({ status, code, title, detail }: Answer, baseUrl: string, instead?: object) {
  const requestId = newRequestId();
  const type = problemType(baseUrl, code);
  const body = JSON.stringify(instead ?? { type, title, status, detail, code, requestId });
  const headers = {
    'Content-Type':
      instead === undefined ? 'application/problem+json' : 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, body };
}
