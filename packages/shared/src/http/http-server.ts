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
import { Overloaded } from '../sql/database.ts';
import { acceptFirst, type RequestStarts } from './accept-first.ts';
import { html } from './html.ts';
import { type ProblemCode, problemType } from './problem-codes.ts';
import { newRequestId, PROBES, requestIdOf } from './request-log.ts';

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

/** Stands in an overload page where the request id belongs. */
export const REQUEST_ID_MARK = 'REQUEST-ID';

/** A page that was rendered before: rendering one for each refusal would be a part of the overload. */
export interface OverloadPage {
  readonly headers: Readonly<Record<string, string>>;
  /** With `REQUEST_ID_MARK`. */
  readonly markup: string;
}

/** Chooses the page in the language of a browser. */
export type ChooseOverloadPage = (request: IncomingMessage) => OverloadPage;

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
export interface Shedding {
  readonly requests: RequestCount;
  /** Further requests are refused, before anything is read, asked or compared for them. */
  readonly requestsAtOnce: number;
  readonly findsFullQueue?: FindsFullQueue | undefined;
  /** The members of the body in the protocol of the service; a problem document when undefined. */
  readonly body?: object | undefined;
  /** What a browser gets; the same as a program when undefined. */
  readonly page?: ChooseOverloadPage | undefined;
  readonly onRefused: (what: FullQueue, refusal: Overloaded, requestId: string) => void;
}

/** Made once: to write down its stack would be a fifth of the time of a refusal. */
const TOO_MANY: Readonly<Record<FullQueue, Overloaded>> = {
  request: new Overloaded('too many requests are under way'),
  queue: new Overloaded('too many questions wait for the database'),
};
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
  { requests, requestsAtOnce, findsFullQueue = () => false, body, page, onRefused }: Shedding,
  baseUrl: string,
  listener: RequestListener,
  starts: RequestStarts,
): RequestListener {
  const refuse = (request: IncomingMessage, response: ServerResponse, what: FullQueue) => {
    const id = requestIdOf(request.headers['x-request-id']);
    const answer =
      page !== undefined && prefersPage(request)
        ? filledPage(page(request), id)
        : problem(OVERLOADED, baseUrl, body, id);
    // The connection goes on, unless its caller or a stop ends it: Node says which.
    const { Connection: _, ...headers } = answer.headers;
    response.writeHead(OVERLOADED.status, { ...headers, 'Retry-After': RETRY_AFTER_S });
    response.end(request.method === 'HEAD' ? '' : answer.body);
    onRefused(what, TOO_MANY[what], id);
  };
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

/** Browsers ask for HTML first; a program may take HTML where there is no JSON. */
function prefersPage({ headers: { accept = '' } }: IncomingMessage): boolean {
  const at = accept.indexOf('text/html');
  return at >= 0 && !accept.slice(0, at).includes('json');
}

function filledPage({ headers, markup }: OverloadPage, requestId: string) {
  const body = markup.replace(REQUEST_ID_MARK, () => html`${requestId}`.toString());
  const own = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  return { headers: { ...headers, ...own } as Record<string, string>, body };
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

function problem(
  { status, code, title, detail }: Answer,
  baseUrl: string,
  instead?: object,
  requestId = newRequestId(),
) {
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
