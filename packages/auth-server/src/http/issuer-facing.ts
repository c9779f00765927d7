import type { IncomingMessage } from 'node:http';
import { clientAddress } from '@cls/shared/http/client-address';

/**
 * Shows the library each request as it was sent to the issuer. URLs in discovery and the Secure
 * flag of cookies are made from Host and X-Forwarded-*, which a caller can forge: here they are
 * what the configuration says, and the address is what trusted proxies say.
 */
export function issuerFacing(issuer: string, trustedProxyHops: number) {
  const { host, protocol } = new URL(issuer);
  const scheme = protocol.slice(0, -1);
  return (request: IncomingMessage): void => {
    const { headers } = request;
    const address = clientAddress(request, trustedProxyHops);
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    headers['x-forwarded-for'] = address;
    delete headers['x-forwarded-host'];
    delete headers.forwarded;
  };
}
