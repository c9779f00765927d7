import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { PRIVATE_MEMBERS } from '@cls/shared/access/key-check';

/** How a client proves itself without a secret that both sides know. */
export const PROOF_METHODS = [
  'private_key_jwt', // RFC 7523
  'tls_client_auth', // RFC 8705 §2.1
  'self_signed_tls_client_auth', // RFC 8705 §2.2
] as const;

/**
 * How a client proves itself other than by a secret, and what its tokens are bound to: client metadata
 * by its registered names. Without a method, the client has a secret.
 */
export interface ClientProof {
  readonly token_endpoint_auth_method?: (typeof PROOF_METHODS)[number];
  /** The client's public keys, or the certificate that it signed itself. */
  readonly jwks?: { readonly keys: readonly JsonWebKey[] };
  /** Where the client publishes its keys. */
  readonly jwks_uri?: string;
  readonly tls_client_auth_subject_dn?: string;
  readonly tls_client_auth_san_dns?: string;
  /** RFC 9449 §5.2 */
  readonly dpop_bound_access_tokens?: true;
  /** RFC 8705 §3.4 */
  readonly tls_client_certificate_bound_access_tokens?: true;
  /** RFC 9126 §6 */
  readonly require_pushed_authorization_requests?: true;
  /** Held to the FAPI 2.0 Security Profile. */
  readonly fapi2?: true;
}

/** Signatures of client assertions. */
export const ASSERTION_ALGS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;

const KEYS_MAX = 16;
const MODULUS_MIN_BITS = 2_048;

/** Why a document is no set of public keys that a client can sign assertions with. */
export function keySetFault(document: unknown): string | undefined {
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX) {
    return `expected a JSON Web Key Set: {"keys": […]} with 1 to ${KEYS_MAX} keys`;
  }
  const at = keys.findIndex((key) => keyFault(key) !== undefined);
  return at < 0 ? undefined : `key ${at + 1} ${keyFault(keys[at])}`;
}

function keyFault(jwk: JsonWebKey | null): string | undefined {
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk ?? {}, name))) {
    return 'has a private or secret part: give the public part alone, and make a new key';
  }
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      key: jwk ?? {},
      format: 'jwk',
    });
    const good =
      (type === 'rsa' && (details?.modulusLength ?? 0) >= MODULUS_MIN_BITS) ||
      (type === 'ec' && details?.namedCurve === 'prime256v1') ||
      type === 'ed25519';
    if (good) return undefined;
  } catch {
    // Described below.
  }
  return `is none of: RSA of ${MODULUS_MIN_BITS} bits or more, EC on P-256, Ed25519`;
}
