/** Answers that a server gives itself: to what cannot be read, and to what is too much at once. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { html } from './html.ts';
import { type ProblemCode, problemType } from './problem-codes.ts';
import { newRequestId, requestIdOf } from './request-log.ts';

export interface Answer {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
}

export const NOT_HTTP: Answer = {
  status: 400,
  code: 'invalid_request',
  title: 'Request not valid',
  detail: 'The request is not valid HTTP.',
};
export const NO_HOST: Answer = { ...NOT_HTTP, detail: 'expected a Host header with HTTP/1.1' };
export const NO_TUNNEL: Answer = {
  ...NOT_HTTP,
  detail: 'CONNECT is not supported: this host is not a proxy.',
};

/** In which the headers of a request must arrive, and all of it. */
export const HEADERS_S = 10;
export const REQUEST_S = 30;

/** By the codes of Node's errors. */
export const UNREADABLE: Readonly<Record<string, Answer>> = {
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
    detail: `The headers of a request must arrive within ${HEADERS_S} seconds, and all of it within ${REQUEST_S}.`,
  },
};

export const UNREADABLE_STATUSES: readonly string[] = [
  ...new Set([NOT_HTTP, ...Object.values(UNREADABLE)].map(({ status }) => `${status}`)),
];

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

const OVERLOADED: Answer = {
  status: 503,
  code: 'unavailable',
  title: 'Service unavailable',
  detail: 'Too many requests are under way. Try again later.',
};
const RETRY_AFTER_S = '2';

export interface OverloadAnswer {
  /** The members of the body in the protocol of the service; a problem document when undefined. */
  readonly body?: object | undefined;
  /** What a browser gets; the same as a program when undefined. */
  readonly page?: ChooseOverloadPage | undefined;
}

/** @returns the id of the request. */
export function refuseOverload(
  request: IncomingMessage,
  response: ServerResponse,
  { body, page }: OverloadAnswer,
  baseUrl: string,
): string {
  const id = requestIdOf(request.headers['x-request-id']);
  const answer =
    page !== undefined && prefersPage(request)
      ? filledPage(page(request), id)
      : problem(OVERLOADED, baseUrl, body, id);
  // The connection goes on, unless its caller or a stop ends it: Node says which.
  const { Connection: _, ...headers } = answer.headers;
  response.writeHead(OVERLOADED.status, { ...headers, 'Retry-After': RETRY_AFTER_S });
  response.end(request.method === 'HEAD' ? '' : answer.body);
  return id;
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

export function refuse(response: ServerResponse, baseUrl: string, answer: Answer): void {
  const { headers, body } = problem(answer, baseUrl);
  response.writeHead(answer.status, headers).end(response.req.method === 'HEAD' ? '' : body);
}

/** Nothing more is read from this connection. */
export function end(socket: Duplex, baseUrl: string, answer: Answer): void {
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
