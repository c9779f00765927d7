import type { Context } from 'koa';
import type { Actor } from '../audit/actor.ts';
import { deviceOf } from '../audit/actor.ts';
import { readCookie } from './browser.ts';
import { negotiateLocale } from './i18n.ts';
import { LANGUAGE_COOKIE } from './page.ts';

export const DEVICE_COOKIE = { name: 'cls_device' } as const;

/** The sender of a request, as far as the request shows. */
export function actorOf(ctx: Context): Actor {
  const requestId = ctx.state['requestId'];
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  return {
    address: ctx.ip,
    device: deviceOf(ctx.get('user-agent')),
    locale: negotiateLocale({
      cookie: readCookie(ctx, LANGUAGE_COOKIE),
      acceptLanguage: ctx.get('accept-language'),
    }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
