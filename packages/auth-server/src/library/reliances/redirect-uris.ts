import type { Client, Provider } from 'oidc-provider';

/** RFC 8252 §7.3: an application on a person's own device gets its port from the system. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?=[:/?#]|$)/;

/**
 * Redirect URIs are compared character by character. The one exception is the port of a loopback
 * address, for public applications. The library would make it for the name `localhost` too, which
 * may be anybody's (RFC 8252 §8.3), and for confidential ones, which know their port.
 */
export function compareRedirectUris(provider: Provider): void {
  const prototype = provider.Client.prototype as Client & {
    redirectUriAllowed(uri: string): boolean;
  };
  const withAnyPort = prototype.redirectUriAllowed;
  prototype.redirectUriAllowed = function allowed(this: Client, uri: string) {
    if (this.redirectUris?.includes(uri)) return true;
    const mayHaveAnyPort = this.clientAuthMethod === 'none' && LOOPBACK.test(uri);
    return mayHaveAnyPort && withAnyPort.call(this, uri);
  };
}
