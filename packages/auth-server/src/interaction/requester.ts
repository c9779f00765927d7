import type { Context } from 'koa';
import type { Requester } from '../accounts/requester.ts';
import { readCookie } from '../http/cookie.ts';

export const DEVICE_COOKIE = { name: 'cls_device' } as const;

/** Who asks, as far as the request tells. */
export function requesterOf(ctx: Context): Requester {
  const requestId = ctx.state['requestId'];
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  return {
    address: ctx.ip,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
