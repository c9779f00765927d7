import type { Middleware } from 'koa';

/** A year in seconds, as browsers' preload lists ask. */
const MAX_AGE_S = 31_536_000;

/** Browsers use https alone for a host whose issuer is https (RFC 6797 §6.1). */
export function strictTransportHeader(issuer: string): Readonly<Record<string, string>> {
  return issuer.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${MAX_AGE_S}` } : {};
}

/** Puts the header on every answer. */
export function strictTransport(issuer: string): Middleware {
  const header = strictTransportHeader(issuer);
  return async (ctx, next) => {
    ctx.set(header);
    await next();
  };
}
