import { hash } from 'node:crypto';

/**
 * SHA-256 in base64url: what is stored of a secret that nobody can guess, such as an identifier of
 * protocol state, a client secret or the token of a link.
 */
export function digest(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}
