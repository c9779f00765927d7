// HTTP as callers of a drill send it: to nginx, whatever the host of the address resolves to.
import { request } from 'node:https';
import { isIP } from 'node:net';

/** Nothing may take longer: services and nginx refuse before. */
const GIVE_UP_MS = 40_000;

/**
 * @param base what addresses without a host are below
 * @returns a function like `fetch`, which follows no redirect and reads the whole answer
 */
export function sendThrough({ agent, ca, base }) {
  return (address, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((done, failed) => {
      const { host, hostname, port, pathname, search } = new URL(address, base);
      const servername = isIP(hostname) === 0 ? hostname : '';
      const outgoing = request(
        {
          ...{ agent, ca, port, method, servername, host: '127.0.0.1' },
          ...{ path: `${pathname}${search}`, timeout: GIVE_UP_MS, maxHeaderSize: 32_768 },
          headers: { host, ...contentOf(body), ...headers },
        },
        (incoming) => {
          const parts = [];
          incoming.on('data', (part) => parts.push(part));
          incoming.once('error', failed);
          incoming.once('end', () => done(responseOf(incoming, Buffer.concat(parts))));
        },
      );
      outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')));
      outgoing.once('error', failed);
      outgoing.end(body === undefined ? undefined : `${body}`);
    });
}

function contentOf(body) {
  if (body instanceof URLSearchParams) {
    return { 'content-type': 'application/x-www-form-urlencoded' };
  }
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function responseOf({ statusCode, rawHeaders }, content) {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at], rawHeaders[at + 1]);
  const empty = statusCode === 204 || statusCode === 304;
  return new Response(empty ? null : content, { status: statusCode, headers });
}
