import type { Context } from 'koa';
import { type ApiClient, ApiRefused } from '../balances/api-client.ts';
import type { Caller, Single } from '../balances/shapes.ts';
import type { KeepSessions } from '../sessions/keep-sessions.ts';
import { sessionOf } from '../web/browser.ts';
import { isAllKnown } from './knowledge.ts';
import { TOKEN_CODES } from './refusals.ts';
import { askerOf } from './visit.ts';

export interface NewsDeps {
  readonly sessions: Pick<KeepSessions, 'peek'>;
  readonly api: ApiClient;
}

/**
 * `/news?knownAt=`: whether anything newer is known, for a page that is open. It carries no balance,
 * leads nowhere, and renews no token: a page that nobody reads does not keep a session alive.
 */
export async function news({ sessions, api }: NewsDeps, ctx: Context): Promise<void> {
  const identifier = sessionOf(ctx);
  const session = identifier === undefined ? undefined : await sessions.peek(identifier);
  ctx.body = '';
  if (session === undefined) {
    ctx.status = 401;
    return;
  }
  try {
    const asked = ctx.get('if-none-match');
    const found = await api.readIfChanged<Single<Caller>>(askerOf(ctx, session), '/me', asked);
    if (found === undefined) {
      ctx.status = 304;
      return;
    }
    if (found.etag !== undefined) ctx.set('ETag', found.etag);
    ctx.status = 200;
    const shown = new URLSearchParams(ctx.search).get('knownAt') ?? '';
    ctx.body = { newer: !isAllKnown(found.answer.meta, shown) };
  } catch (error) {
    if (!(error instanceof ApiRefused)) throw error;
    ctx.state['refused'] = error.code;
    ctx.status = TOKEN_CODES.includes(error.code) ? 401 : error.status;
    if (error.retryAfterS !== undefined) ctx.set('Retry-After', error.retryAfterS);
  }
}
