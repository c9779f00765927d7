import type { RequestListener } from 'node:http';
import { clientAddress } from '@cls/shared/http/client-address';
import { mountAt } from '../library/reliances/base-path.ts';
import { OAUTH_METADATA_PATH } from '../web/paths.ts';

/**
 * Shows the library each request as it was sent to the issuer. URLs in discovery and the Secure
 * flag of cookies are made from Host, X-Forwarded-* and the request's target, which a caller can
 * forge: here they are what the configuration says, and the address is what trusted proxies say.
 */
export function normalizeRequests(
  issuer: string,
  trustedProxyHops: number,
  handle: RequestListener,
): RequestListener {
  const { host, protocol, pathname } = new URL(issuer);
  const scheme = protocol.slice(0, -1);
  const basePath = pathname === '/' ? '' : pathname;
  return (request, response) => {
    const { headers } = request;
    const address = clientAddress(request, trustedProxyHops);
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    headers['x-forwarded-for'] = address;
    delete headers['x-forwarded-host'];
    delete headers.forwarded;
    request.url = below(basePath, request.url ?? '/');
    mountAt(request, basePath);
    handle(request, response);
  };
}

/** The target relative to the issuer's path, which a proxy in front may have taken off. */
function below(basePath: string, target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (basePath === '') return path;
  // RFC 8414 §3.1 puts the issuer's path behind the well-known one.
  if (path === `${OAUTH_METADATA_PATH}${basePath}`) return OAUTH_METADATA_PATH;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}
