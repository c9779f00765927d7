import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type ProblemCode, problemType } from './problem-codes.ts';
import { newRequestId } from './request-id.ts';

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

/**
 * A server that answers with a problem document (RFC 9457) also what Node refuses by itself, with
 * an empty body: a request that is not HTTP, that is too large, or that arrives too slowly.
 *
 * @param baseUrl of the deployment: its documentation explains each problem.
 */
export function createHttpServer(
  options: ServerOptions,
  baseUrl: string,
  listener: RequestListener,
): Server {
  const server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      return refuse(response, baseUrl, NO_HOST);
    }
    listener(request, response);
  });
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
    else end(socket, baseUrl, UNREADABLE[error.code ?? ''] ?? NOT_HTTP);
  });
  server.on('connect', (_, socket) => end(socket, baseUrl, NO_TUNNEL));
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

function problem({ status, code, title, detail }: Answer, baseUrl: string) {
  const requestId = newRequestId();
  const type = problemType(baseUrl, code);
  const body = JSON.stringify({ type, title, status, detail, code, requestId });
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, body };
}
