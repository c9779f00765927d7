import type { Context } from 'koa';

/**
 * Sets the ETag, and the status 304 for who has this answer (RFC 9110 §13.1.2). Not `ctx.fresh`: `fetch` sends
 * `Cache-Control: no-cache` with each condition of its own.
 */
export function answerUnchanged(ctx: Context, etag: string): boolean {
  ctx.set('ETag', etag);
  const candidates = ctx.get('if-none-match').split(',');
  const unchanged = candidates.some((one) => one.trim().replace(/^W\//, '') === etag);
  if (unchanged) ctx.status = 304;
  return unchanged;
}
