/** What a browser keeps of the explorer: identifiers, and no token. */
import { readCookie, writeCookie } from '@cls/shared/pages/browser';
import type { Context } from 'koa';

/** Names the session on the server. */
export const SESSION_COOKIE = { name: 'cls_explorer' };
/** In its place: the session has ended, and the issuer has none either. No identifier reads so. */
const ENDED = 'ended';
/** Names the browser, so that an answer to a sign-in is good in the browser alone that began it. */
export const BROWSER_COOKIE = { name: 'cls_explorer_browser' };
export const LANGUAGE_COOKIE = { name: 'cls_explorer_language' };
/** How high rows are: see web/density.ts. */
export const DENSITY_COOKIE = { name: 'cls_explorer_density' };
/** Tells apart who was signed in, without naming anybody: see web/viewers.ts. */
export const VIEWERS_COOKIE = { name: 'cls_explorer_viewers' };

/** What was known at the last visits: see web/last-visit.ts. */
export const SEEN_COOKIE = { name: 'cls_explorer_seen' };

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
