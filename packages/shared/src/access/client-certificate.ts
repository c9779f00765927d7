import { hash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What deploy/nginx.conf calls `$ssl_client_escaped_cert` and `$ssl_client_verify`. */
const CERTIFICATE = 'x-client-certificate';
const VERIFIED = 'x-client-certificate-verify';
/** PEM as nginx escapes it; two headers would have a comma between. */
const ESCAPED = /^[\w.~%-]+$/;

/**
 * The certificate that a caller proved to the proxy in front, which overwrites both headers. Without
 * that proxy anybody could send them.
 *
 * @param isTrusted whether the operator said that there is such a proxy.
 */
export function clientCertificate(
  { headers }: Pick<IncomingMessage, 'headers'>,
  isTrusted: boolean,
): X509Certificate | undefined {
  const escaped = headers[CERTIFICATE];
  if (!isTrusted || typeof escaped !== 'string' || !ESCAPED.test(escaped)) return undefined;
  try {
    return new X509Certificate(decodeURIComponent(escaped));
  } catch {
    return undefined;
  }
}

/** Whether an authority that the proxy trusts made that certificate. */
export function isCertified({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers[VERIFIED] === 'SUCCESS';
}

/** `x5t#S256` of RFC 8705 §3.1. */
export function thumbprintOf({ raw }: X509Certificate): string {
  return hash('sha256', raw, 'base64url');
}
