import type { Middleware } from 'koa';

/** A year in seconds, as browsers' preload lists ask. */
const MAX_AGE_S = 31_536_000;

/** Browsers use https alone for a host whose issuer is https (RFC 6797 §6.1). */
export function strictTransport(issuer: string): Middleware {
  const secure = issuer.startsWith('https:');
  return async (ctx, next) => {
    if (secure) ctx.set('Strict-Transport-Security', `max-age=${MAX_AGE_S}`);
    await next();
  };
}
