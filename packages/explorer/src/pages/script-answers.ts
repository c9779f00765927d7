import type { Context } from 'koa';
import { ApiRefused } from '../balances/api-client.ts';
import type { KeptSession } from '../sessions/keep-sessions.ts';
import { sessionOf } from '../web/browser.ts';
import { TOKEN_CODES } from './refusals.ts';

/**
 * Answers the script of a page, which reads a status where a person would be led to a page.
 *
 * @param find the session, if it is good.
 */
export async function answerScript(
  ctx: Context,
  find: (identifier: string) => Promise<KeptSession | undefined>,
  answer: (session: KeptSession) => Promise<void>,
): Promise<void> {
  const identifier = sessionOf(ctx);
  const session = identifier === undefined ? undefined : await find(identifier);
  ctx.body = '';
  if (session === undefined) {
    ctx.status = 401;
    return;
  }
  try {
    await answer(session);
  } catch (error) {
    if (!(error instanceof ApiRefused)) throw error;
    ctx.state['refused'] = error.code;
    ctx.status = TOKEN_CODES.includes(error.code) ? 401 : error.status;
    if (error.retryAfterS !== undefined) ctx.set('Retry-After', error.retryAfterS);
  }
}
