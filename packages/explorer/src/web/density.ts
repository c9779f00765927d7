import { readCookie, writeCookie } from '@cls/shared/pages/browser';
import type { Context, Middleware } from 'koa';
import { isLinkable, sameWith } from './address.ts';
import { DENSITY_COOKIE } from './browser.ts';

/** How high the rows of tables are; the first is what a reader sees who chose none. */
export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];
const KEPT_MS = 365 * 86_400_000;

/** What the reader chose in this browser. */
export function densityOf(ctx: Context): Density {
  return densityNamed(readCookie(ctx, DENSITY_COOKIE)) ?? DENSITIES[0];
}

/** The page at an address, where the reader chooses this density. */
export function densityLink(path: string, query: URLSearchParams, density: Density): string {
  return sameWith(path, query, { density });
}

/**
 * Keeps the density that a link chooses, and leads back to the address without it: two people with the
 * same address each see their own.
 */
export const keepDensity: Middleware = async (ctx, next) => {
  const query = new URLSearchParams(ctx.querystring);
  const chosen = densityNamed(query.get('density'));
  if (chosen === undefined || ctx.method !== 'GET' || !isLinkable(ctx.path)) return next();
  writeCookie(ctx, DENSITY_COOKIE, chosen, KEPT_MS);
  ctx.redirect(sameWith(ctx.path, query, { density: undefined }));
};

function densityNamed(name: string | null | undefined): Density | undefined {
  return DENSITIES.find((density) => density === name);
}
