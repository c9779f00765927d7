import type { Middleware } from 'koa';

/** A year in seconds, as browsers' preload lists ask. */
const MAX_AGE_S = 31_536_000;

/** Browsers use https alone for a host whose issuer is https (RFC 6797 §6.1). */
export function strictTransportHeader(issuer: string): Readonly<Record<string, string>> {
  return issuer.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${MAX_AGE_S}` } : {};
}

/** Puts headers on every answer, whatever answers. */
export function responseHeaders(headers: Readonly<Record<string, string>>): Middleware {
  return (ctx, next) => {
    ctx.set(headers);
    return next();
  };
}
