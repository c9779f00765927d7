import { readCookie, writeCookie } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { SEEN_COOKIE } from './browser.ts';
import { isNoTime } from './typed.ts';

const KEPT_MS = 90 * 86_400_000;
/** Without a page for so long, the next one is another visit. */
const PAUSE_MS = 4 * 3_600_000;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * What was known when the browser was here the time before; undefined at the first time. The cookie has
 * two instants of the book, and when a page was last shown: nothing of the person.
 */
export function lastVisit(ctx: Context, knownAt: string, now = Date.now()): string | undefined {
  const [before = '', last = '', at = ''] = (readCookie(ctx, SEEN_COOKIE) ?? '').split('_');
  const isAnother = now - Date.parse(at) > PAUSE_MS;
  const since = isAnother ? last : before;
  const newest = last > knownAt ? last : knownAt;
  const value = [since, newest, new Date(now).toISOString()].join('_');
  writeCookie(ctx, SEEN_COOKIE, value, KEPT_MS);
  const isInstant = INSTANT.test(since) && !isNoTime(new Date(since));
  return isInstant && since < knownAt ? since : undefined;
}
