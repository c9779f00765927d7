import { decodeProtectedHeader } from 'jose';
import { errors } from 'oidc-provider';
import { SIGNING_ALGS } from '../../keys/signing-key.ts';

/**
 * Whether the library refused an ID token because it was signed as ours are, by a key that the
 * provider does not have any more.
 */
export function isOfRemovedKey(error: unknown, idToken: unknown): boolean {
  const cause = error instanceof errors.InvalidRequest ? error.cause : undefined;
  if ((cause as { code?: unknown } | undefined)?.code !== 'ERR_JWKS_NO_MATCHING_KEY') return false;
  if (typeof idToken !== 'string') return false;
  const { alg } = decodeProtectedHeader(idToken);
  return SIGNING_ALGS.some((one) => one === alg);
}
