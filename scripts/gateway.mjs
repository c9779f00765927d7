// One base URL for one machine: routes by path to the two services, as an ingress does elsewhere.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream';
import { createHttpServer } from '@cls/shared/http/http-server';
import { problemType } from '@cls/shared/http/problem-codes';
import { isBrowser, unavailablePage } from './gateway-page.mjs';

/** RFC 9110 §7.6.1: these belong to one connection and are not passed on. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Callers cannot say themselves where they come from, or which certificate they have. */
const FORWARDED = [
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
  ...['x-client-certificate', 'x-client-certificate-verify'],
];

/** Of a request or an answer; the services take as much. */
const HEAD_MAX_BYTES = 32_768;
/** As deploy/nginx.conf has it (`large_client_header_buffers`). */
const ADDRESS_MAX_BYTES = 16_384;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/**
 * Listens on both loopback addresses. `upstreamOf` gives the port for a path, or undefined. `pages`
 * is the port of the service that tells a browser so, by its own 404 below `/not-found`. `baseUrl` is
 * where callers reach it: problems link to the documentation there. `own` are the paths that the gateway
 * answers itself.
 * Resolves to a function that stops it; rejects with EADDRINUSE when the port is taken.
 */
export async function startGateway({ port, upstreamOf, pages, baseUrl, own = {} }) {
  const servers = [];
  for (const host of ['127.0.0.1', '::1']) {
    const server = createHttpServer(
      { keepAliveTimeout: 65_000, maxHeaderSize: HEAD_MAX_BYTES },
      baseUrl,
      (incoming, outgoing) => {
        const answerIt = Object.hasOwn(own, incoming.url) ? own[incoming.url] : undefined;
        if (answerIt !== undefined) return answerIt(incoming, outgoing);
        forward(incoming, outgoing, targetOf(incoming, upstreamOf, pages), baseUrl);
      },
    );
    try {
      await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      servers.push(server);
    } catch (error) {
      // A machine without IPv6 has no ::1.
      if (host === '::1' && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code)) continue;
      for (const open of servers) open.close();
      throw error;
    }
  }
  return async () => {
    await Promise.all(
      servers.map((server) => {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 5_000).unref();
        return closed;
      }),
    );
    agent.destroy();
  };
}

function targetOf(incoming, upstreamOf, pages) {
  const { url } = incoming;
  const port = upstreamOf(url.split('?', 1)[0]);
  if (port !== undefined) return { port, path: url };
  return isBrowser(incoming) && url.startsWith('/')
    ? { port: pages, path: `/not-found${url}` }
    : {};
}

function forward(incoming, outgoing, { port, path }, baseUrl) {
  if (incoming.url.length > ADDRESS_MAX_BYTES) {
    return answer(incoming, outgoing, TOO_LONG, baseUrl);
  }
  if (port === undefined) {
    return answer(incoming, outgoing, NOT_FOUND, baseUrl);
  }
  const upstream = request({
    agent,
    host: '127.0.0.1',
    port,
    method: incoming.method,
    path,
    headers: forwardedHeaders(incoming),
    maxHeaderSize: HEAD_MAX_BYTES,
  });
  upstream.on('response', (response) => {
    outgoing.writeHead(response.statusCode, endToEnd(response.rawHeaders));
    pipeline(response, outgoing, () => undefined);
  });
  upstream.on('error', () => {
    if (outgoing.headersSent) return outgoing.destroy();
    answer(incoming, outgoing, UNAVAILABLE, baseUrl);
  });
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
  // What is left of a body that nobody takes is read here, or the connection's next request would wait for ever.
  upstream.once('close', () => incoming.unpipe(upstream).resume());
}

function forwardedHeaders(incoming) {
  const headers = endToEnd(incoming.rawHeaders, FORWARDED);
  const { host = '' } = incoming.headers;
  // HTTP/1.0 needs none, and the services speak HTTP/1.1.
  if (host === '') headers.push('Host', 'localhost');
  headers.push('X-Forwarded-For', incoming.socket.remoteAddress ?? '');
  headers.push('X-Forwarded-Proto', 'http', 'X-Forwarded-Host', host);
  // Node would otherwise announce no body where the caller sent one in chunks.
  if (incoming.headers['transfer-encoding']) headers.push('Transfer-Encoding', 'chunked');
  return headers;
}

/** Raw name and value pairs, so that repeated headers stay as they were. */
function endToEnd(rawHeaders, drop = []) {
  const named = rawHeaders.findIndex((name, i) => i % 2 === 0 && /^connection$/i.test(name));
  const listed = named < 0 ? [] : rawHeaders[named + 1].toLowerCase().split(/\s*,\s*/);
  const kept = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (HOP_BY_HOP.has(name) || listed.includes(name) || drop.includes(name)) continue;
    kept.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return kept;
}

const NOT_FOUND = {
  status: 404,
  code: 'not_found',
  title: 'Not found',
  detail: 'There is nothing at this path; see /api and /.well-known/openid-configuration.',
};
const TOO_LONG = {
  status: 414,
  code: 'too_long',
  title: 'Address too long',
  detail: 'The address is longer than 16 KiB.',
};
const UNAVAILABLE = {
  status: 503,
  code: 'unavailable',
  title: 'Service unavailable',
  detail: 'The service behind this path does not answer at the moment; try again.',
};
/** What the services take from a caller too: printable ASCII. */
const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** To a browser a page, else a problem document (RFC 9457) in the shape of the services' own. */
function answer(incoming, outgoing, problem, baseUrl) {
  const { url, headers, method } = incoming;
  const { status, code, title, detail } = problem;
  const offered = headers['x-request-id'] ?? '';
  const requestId = REQUEST_ID.test(offered)
    ? offered
    : `req_${randomBytes(12).toString('base64url')}`;
  const [instance] = url.split('?', 1);
  const type = problemType(baseUrl, code);
  const body = JSON.stringify({ type, title, status, detail, instance, code, requestId });
  const page = status === 503 && isBrowser(incoming);
  const shown = page
    ? unavailablePage(incoming, requestId)
    : { headers: { 'Content-Type': 'application/problem+json' }, body };
  outgoing.writeHead(status, {
    ...shown.headers,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...(status === 503 ? { 'Retry-After': '2' } : {}),
  });
  outgoing.end(method === 'HEAD' ? undefined : shown.body);
}
