/** The cookies of browsers, and for messages and the audit the sender of a request. */
import { negotiateLanguage, readCookie } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { type Actor, deviceOf } from '../audit/actor.ts';

/** By which a browser is known: see throttle/known-devices.ts. */
export const DEVICE_COOKIE = { name: 'cls_device' } as const;
/** By which a remembered browser is recognised: see sessions/remembered-devices.ts. */
export const REMEMBERED_COOKIE = { name: 'cls_remembered' } as const;
export const LANGUAGE_COOKIE = { name: 'cls_language' } as const;

/** The sender of a request, as far as the request shows. */
export function actorOf(ctx: Context): Actor {
  const requestId = ctx.state['requestId'];
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  return {
    address: ctx.ip,
    device: deviceOf(ctx.get('user-agent')),
    locale: negotiateLanguage({
      cookie: readCookie(ctx, LANGUAGE_COOKIE),
      acceptLanguage: ctx.get('accept-language'),
    }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
