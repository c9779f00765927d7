import type { Middleware } from 'koa';
import { ROUTES } from '../provider/configuration.ts';
import { addressSubject } from '../throttle/address-subject.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { errorPage } from '../views/outcome/error.ts';
import type { Pages } from './page.ts';
import { CODE_NOT_GOOD, wayOnFrom } from './provider-pages.ts';

/**
 * Slows guessing at the codes of second devices by address (RFC 8628 §5.1): whoever hits one
 * could sign another's device in as themself.
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
    const referenceId = String(ctx.state['requestId'] ?? '');
    const wayOn = wayOnFrom(undefined, pages);
    ctx.set('Retry-After', `${waitS}`);
    pages.show(ctx, {
      status: 429,
      render: (frame, i18n) =>
        errorPage({ frame, kind: 'too_many_attempts', referenceId, wayOn, waitS }, i18n),
    });
  };
}
