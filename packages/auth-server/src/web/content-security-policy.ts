/**
 * The policy every page needs: own style sheet, scripts and icon; no inline code, no frame, no
 * request from script, nothing from elsewhere.
 *
 * Chromium applies `form-action` to the redirects that follow a form too, so a page whose form
 * ends in a redirect to an application must name where it goes: pass that client's redirect URIs
 * (sign-in, second factor, consent), its post-logout redirect URIs (sign-out) or the upstream
 * provider's authorization endpoint.
 *
 * @see https://www.w3.org/TR/CSP3/#directive-form-action
 */
export function contentSecurityPolicy(formTargets: readonly string[] = []): string {
  const targets = [...new Set(formTargets.flatMap(sourceOf))];
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...targets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Schemes that would let a form reach anywhere, or run something. */
const REFUSED_SCHEMES = ['javascript:', 'data:', 'blob:', 'file:', 'filesystem:', 'about:'];

/** A web origin, or the scheme of a native application's own (`com.example.app:`). */
function sourceOf(uri: string): readonly string[] {
  if (!URL.canParse(uri)) return [];
  const { protocol, host, hostname } = new URL(uri);
  if (REFUSED_SCHEMES.includes(protocol)) return [];
  if (protocol !== 'http:' && protocol !== 'https:') return [protocol];
  // A native application listens on whatever port is free (RFC 8252 §7.3).
  if (hostname === '127.0.0.1') return [`${protocol}//127.0.0.1:*`];
  // A host source knows no IPv6 address; the scheme is the narrowest that CSP can say.
  if (hostname.startsWith('[')) return [protocol];
  // A URL's host may hold characters, such as a comma, that would end a source or the policy.
  return /^[a-z0-9.-]+(?::\d+)?$/.test(host) ? [`${protocol}//${host}`] : [];
}
