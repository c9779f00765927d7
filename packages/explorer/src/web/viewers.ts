import { readCookie, writeCookie } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { digest } from '../crypto/seal.ts';
import { VIEWERS_COOKIE } from './browser.ts';

/** How many people of a browser are told apart. */
const REMEMBERED = 8;
const TAG_CHARS = 8;

/**
 * Stands in the addresses of a person's pages, so that a tab that stayed open is noticed when somebody
 * else has signed in since. It names nobody, and opens nothing.
 */
export function viewerOf(subject: string): string {
  return digest(`viewer:${subject}`).slice(0, TAG_CHARS);
}

/** Whether that person was signed in in this browser. */
export function wasHere(ctx: Context, viewer: string): boolean {
  return viewersOf(ctx).includes(viewer);
}

export function rememberViewer(ctx: Context, subject: string): void {
  const viewers = [...new Set([viewerOf(subject), ...viewersOf(ctx)])].slice(0, REMEMBERED);
  writeCookie(ctx, VIEWERS_COOKIE, viewers.join('.'));
}

function viewersOf(ctx: Context): readonly string[] {
  return (readCookie(ctx, VIEWERS_COOKIE) ?? '').split('.').slice(0, REMEMBERED);
}
