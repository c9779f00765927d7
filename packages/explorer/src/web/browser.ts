/** What a browser keeps of the explorer: identifiers, and no token. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';

/** Names the session on the server. */
export const SESSION_COOKIE = 'cls_explorer';
/** In its place: the session has ended, and the issuer has none either. No identifier reads so. */
const ENDED = 'ended';
/** Names the browser, so that an answer to a sign-in is good in the browser alone that began it. */
export const BROWSER_COOKIE = 'cls_explorer_browser';
export const LANGUAGE_COOKIE = 'cls_explorer_language';
/** Tells apart who was signed in, without naming anybody: see web/viewers.ts. */
export const VIEWERS_COOKIE = 'cls_explorer_viewers';

/**
 * Under https browsers enforce `__Host-`: Secure, this host alone, every path. They refuse it over
 * http (RFC 6265bis §4.1.3), which the configuration allows on a developer's machine only.
 */
function nameOf({ secure }: Pick<Context, 'secure'>, name: string): string {
  return secure ? `__Host-${name}` : name;
}

export function readCookie(ctx: Context, name: string): string | undefined {
  return ctx.cookies.get(nameOf(ctx, name), { signed: false });
}

/** The identifier of the session; undefined without one. */
export function sessionOf(ctx: Context): string | undefined {
  const value = readCookie(ctx, SESSION_COOKIE);
  return value === ENDED ? undefined : value;
}

/** Whether the person was signed in, and has to sign in again: pages say so at their own address. */
export function hasEnded(ctx: Context): boolean {
  return readCookie(ctx, SESSION_COOKIE) === ENDED;
}

export function rememberEnd(ctx: Context): void {
  writeCookie(ctx, SESSION_COOKIE, ENDED);
}

/** A cookie of a request that reaches no Koa. The value is one of ours: letters. */
export function cookieOf(
  { headers }: IncomingMessage,
  baseUrl: string,
  name: string,
): string | undefined {
  const whole = nameOf({ secure: baseUrl.startsWith('https:') }, name);
  return new RegExp(`(?:^|;) ?${whole}=(\\w+)`).exec(headers.cookie ?? '')?.[1];
}

/** @param maxAgeS without it the cookie lives until the browser is closed. */
export function writeCookie(ctx: Context, name: string, value: string, maxAgeS?: number): void {
  ctx.cookies.set(nameOf(ctx, name), value, {
    ...(maxAgeS === undefined ? {} : { maxAge: maxAgeS * 1_000 }),
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    signed: false,
    overwrite: true,
  });
}

export function dropCookie(ctx: Context, name: string): void {
  ctx.cookies.set(nameOf(ctx, name), null, {
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    signed: false,
    overwrite: true,
  });
}
