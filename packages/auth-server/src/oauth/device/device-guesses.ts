import type { Middleware } from 'koa';
import { addressSubject } from '../../throttle/guess.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { showErrorPage } from '../../web/error-page.ts';
import type { Pages } from '../../web/page.ts';
import { ROUTES } from '../../web/paths.ts';

/** The status of the form that is shown again because its code is unknown or expired. */
export const CODE_NOT_GOOD = 422;

/**
 * Slows guessing at the codes of second devices by address (RFC 8628 §5.1): with a right
 * guess, somebody could sign another's device in as themself.
 */
export function deviceGuesses(throttle: Throttle, pages: Pages): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== ROUTES.code_verification || ctx.method !== 'POST') return next();
    const subjects = [addressSubject(ctx.ip)];
    const admission = await throttle.admit(subjects);
    if (admission.admitted) {
      await next();
      if (ctx.status !== CODE_NOT_GOOD) await throttle.withdraw(subjects);
      return;
    }
    const { retryAfterS: waitS } = admission;
    showErrorPage(pages, ctx, { status: 429, kind: 'too_many_attempts', waitS });
  };
}
