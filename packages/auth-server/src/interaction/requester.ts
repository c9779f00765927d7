import type { Context } from 'koa';
import type { Requester } from '../accounts/requester.ts';

export const DEVICE_COOKIE = 'cls_device';

/** Who asks, as far as the request tells. */
export function requesterOf(ctx: Context): Requester {
  const requestId = ctx.state['requestId'];
  const deviceCookie = ctx.cookies.get(DEVICE_COOKIE, { signed: false });
  return {
    address: ctx.ip,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
