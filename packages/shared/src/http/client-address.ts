import type { IncomingMessage } from 'node:http';

/**
 * Where a request comes from: the peer of the connection, or, behind `trustedHops` proxies that
 * each append to X-Forwarded-For, the entry that the outermost of them wrote. Entries further
 * left are the caller's own words.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  // A socket that takes both protocols shows IPv4 peers as IPv6: one caller has one spelling.
  const peer = (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  if (trustedHops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries[entries.length - trustedHops] ?? peer;
}
