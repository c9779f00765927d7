/** What a request shows of the browser that sent it: our cookies, and for messages and the audit its sender. */
import { negotiateLanguage } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { type Actor, deviceOf } from '../audit/actor.ts';
import { LOCALES } from './i18n.ts';

/** A cookie of ours: for every path of this host, or only for those below one. */
export interface Cookie {
  readonly name: string;
  readonly path?: string;
}

/** By which a browser is known: see throttle/known-devices.ts. */
export const DEVICE_COOKIE = { name: 'cls_device' } as const;
/** By which a remembered browser is recognised: see sessions/remembered-devices.ts. */
export const REMEMBERED_COOKIE = { name: 'cls_remembered' } as const;
export const LANGUAGE_COOKIE = { name: 'cls_language' } as const;

/**
 * Under https, the prefix of a cookie's name makes browsers enforce where it came from, so that no
 * sibling host can set it: `__Host-` ties it to this host and all its paths; a cookie for one path
 * can only have `__Secure-`. Browsers refuse both over http (RFC 6265bis §4.1.3).
 */
export function cookieName(secure: boolean, { name, path }: Cookie): string {
  if (!secure) return name;
  return path === undefined ? `__Host-${name}` : `__Secure-${name}`;
}

/** The scheme is the issuer's: server/every-request.ts has put it into the request. */
export function readCookie(ctx: Context, cookie: Cookie): string | undefined {
  return ctx.cookies.get(cookieName(ctx.secure, cookie), { signed: false });
}

/** The same in the header of a request that reaches no Koa. The value is one of ours: letters. */
export function cookieOf(header = '', issuer: string, cookie: Cookie): string | undefined {
  const name = cookieName(issuer.startsWith('https:'), cookie);
  return new RegExp(`(?:^|;) ?${name}=(\\w+)`).exec(header)?.[1];
}

/** @param maxAgeMs without it the cookie lives until the browser is closed. */
export function writeCookie(ctx: Context, cookie: Cookie, value: string, maxAgeMs?: number): void {
  set(ctx, cookie, value, maxAgeMs);
}

export function dropCookie(ctx: Context, cookie: Cookie): void {
  set(ctx, cookie, null);
}

function set(ctx: Context, cookie: Cookie, value: string | null, maxAgeMs?: number): void {
  ctx.cookies.set(cookieName(ctx.secure, cookie), value, {
    ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs }),
    ...(cookie.path === undefined ? {} : { path: cookie.path }),
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    signed: false,
    overwrite: true,
  });
}

/** The sender of a request, as far as the request shows. */
export function actorOf(ctx: Context): Actor {
  const requestId = ctx.state['requestId'];
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  return {
    address: ctx.ip,
    device: deviceOf(ctx.get('user-agent')),
    locale: negotiateLanguage(LOCALES, {
      cookie: readCookie(ctx, LANGUAGE_COOKIE),
      acceptLanguage: ctx.get('accept-language'),
    }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
}
