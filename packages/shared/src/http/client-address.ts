import type { IncomingMessage, Server } from 'node:http';
import type { Log } from '../log.ts';

/**
 * Where a request comes from: the peer of the connection, or, behind `trustedHops` proxies that
 * each append to X-Forwarded-For, the entry that the outermost of them wrote. The caller may have
 * made up the entries further left.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const peer = plain(request.socket.remoteAddress ?? '');
  if (trustedHops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const entry = entries[entries.length - trustedHops];
  return entry === undefined ? peer : plain(entry);
}

/**
 * Behind a proxy that nobody configured, every caller has the proxy's address: throttles would
 * slow all of them together. Said once.
 */
export function warnOfIgnoredForwarding(server: Server, log: Log): void {
  const look = ({ headers }: IncomingMessage) => {
    if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
    server.off('request', look);
    log.warn(
      {},
      'a request came with X-Forwarded-For or Forwarded, and the header is ignored: set TRUSTED_PROXY_HOPS to the number of proxies in front',
    );
  };
  server.on('request', look);
}

/**
 * One caller has one spelling: a socket that takes both protocols shows IPv4 peers as IPv6, and
 * some proxies write the port too, which changes with each connection.
 */
function plain(address: string): string {
  return address
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');
}
