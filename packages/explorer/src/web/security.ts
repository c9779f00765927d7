import { strictTransportHeader } from '@cls/shared/http/response-headers';
import { allowingStyle, PAGE_HEADERS, pagePolicy } from '@cls/shared/pages/document';
import type { Context } from 'koa';

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

/** Lets this answer's page have a style sheet in itself: these rules, and no others. */
export function allowStyle(ctx: Context, style: string): void {
  ctx.set(POLICY, allowingStyle(ctx.response.get(POLICY), style));
}
