import type { Client } from 'oidc-provider';

/**
 * Whether an answer can reach none but the application that is named (RFC 8252 §8.6). One that keeps
 * a secret proves itself at the token endpoint, and an https redirect URI is its owner's alone. Any
 * program on a person's device can listen on a loopback port or register a private-use scheme, and
 * call itself whatever it likes.
 */
export function isAssured(
  { clientAuthMethod }: Pick<Client, 'clientAuthMethod'>,
  redirectUri: string,
): boolean {
  return clientAuthMethod !== 'none' || redirectUri.startsWith('https:');
}
