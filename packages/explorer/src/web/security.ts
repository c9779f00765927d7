import type { Middleware } from 'koa';

/**
 * Own style sheet, script and pictures, nothing inline, no frame, nothing from elsewhere. Forms end here, or at
 * the issuer: browsers apply `form-action` to the redirect that follows signing out too.
 */
export function headersOfAll(issuer: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    `form-action 'self' ${new URL(issuer).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

export function securityHeaders(issuer: string): Middleware {
  const headers = headersOfAll(issuer);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
