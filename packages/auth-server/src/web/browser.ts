import type { Context } from 'koa';

/** A cookie of ours: for every path of this host, or only for those below one. */
export interface Cookie {
  readonly name: string;
  readonly path?: string;
}

/**
 * Under https, the prefix of a cookie's name makes browsers enforce where it came from, so that no
 * sibling host can set it: `__Host-` ties it to this host and all its paths; a cookie for one path
 * can only have `__Secure-`. Browsers refuse both over http (RFC 6265bis §4.1.3).
 */
export function cookieName(secure: boolean, { name, path }: Cookie): string {
  if (!secure) return name;
  return path === undefined ? `__Host-${name}` : `__Secure-${name}`;
}

/** The scheme is the issuer's: server/normalize-request.ts has put it into the request. */
export function readCookie(ctx: Context, cookie: Cookie): string | undefined {
  return ctx.cookies.get(cookieName(ctx.secure, cookie), { signed: false });
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
