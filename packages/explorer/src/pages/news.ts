import type { Context } from 'koa';
import type { ApiClient } from '../balances/api-client.ts';
import type { Caller, Single } from '../balances/shapes.ts';
import type { KeepSessions } from '../sessions/keep-sessions.ts';
import { isAllKnown } from './knowledge.ts';
import { answerScript } from './script-answers.ts';
import { askerOf } from './visit.ts';

export interface NewsDeps {
  readonly sessions: Pick<KeepSessions, 'peek'>;
  readonly api: ApiClient;
}

/**
 * `/news?knownAt=`: whether anything newer is known, for a page that is open. It carries no balance,
 * leads nowhere, and renews no token: a page that nobody reads does not keep a session alive.
 */
export function news({ sessions, api }: NewsDeps, ctx: Context): Promise<void> {
  return answerScript(ctx, sessions.peek, async (session) => {
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
  });
}
