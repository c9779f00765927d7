import { strictTransportHeader } from '@cls/shared/http/strict-transport';
import { allowingStyle, PAGE_HEADERS, pagePolicy } from '@cls/shared/pages/document';
import type { Context, Middleware } from 'koa';

const POLICY = 'Content-Security-Policy';

/**
 * The script asks this site whether there is news. Forms end here, or at the issuer: browsers apply
 * `form-action` to the redirect that follows signing out too.
 */
export function headersOfAll(baseUrl: string, issuer: string): Readonly<Record<string, string>> {
  return {
    ...strictTransportHeader(baseUrl),
    ...PAGE_HEADERS,
    [POLICY]: pagePolicy([new URL(issuer).origin], ["connect-src 'self'"]),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

export function securityHeaders(baseUrl: string, issuer: string): Middleware {
  const headers = headersOfAll(baseUrl, issuer);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}

/** Lets this answer's page have a style sheet in itself: these rules, and no others. */
export function allowStyle(ctx: Context, style: string): void {
  ctx.set(POLICY, allowingStyle(ctx.response.get(POLICY), style));
}
