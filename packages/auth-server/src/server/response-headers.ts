import { strictTransportHeader } from '@cls/shared/http/strict-transport';
import type { Middleware } from 'koa';

/** What every answer carries; a page puts a policy of its own in place. */
export function headersOfAll(issuer: string): Readonly<Record<string, string>> {
  return {
    ...strictTransportHeader(issuer),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    // For browsers that read no frame-ancestors (RFC 9700 §4.16).
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}

export function responseHeaders(issuer: string): Middleware {
  const headers = headersOfAll(issuer);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
