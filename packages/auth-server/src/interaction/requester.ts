import type { Context } from 'koa';
import { deviceOf } from '../accounts/device-of.ts';
import type { Requester } from '../accounts/requester.ts';
import { negotiateLocale } from '../views/language.ts';
import { LANGUAGE_COOKIE } from './page.ts';

export const DEVICE_COOKIE = 'cls_device';

/** Who asks, as far as the request tells. */
export function requesterOf(ctx: Context): Requester {
  const requestId = ctx.state['requestId'];
  const deviceCookie = ctx.cookies.get(DEVICE_COOKIE, { signed: false });
  return {
    address: ctx.ip,
    device: deviceOf(ctx.get('user-agent')),
    locale: negotiateLocale({
      cookie: ctx.cookies.get(LANGUAGE_COOKIE, { signed: false }),
      acceptLanguage: ctx.get('accept-language'),
    }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
