import { Refusal } from '../http/refusal.ts';

/** RFC 6750 §3: what a refusal tells the client, without a token's contents. */
const INVALID_TOKEN = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

/** Signatures of proofs of possession (RFC 9449 §5.1). */
export const DPOP_ALGS = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;

/** No token at all: RFC 6750 §3.1 asks for a challenge without an error code. */
export function missingToken(): Refusal {
  return new Refusal({
    status: 401,
    code: 'missing_token',
    title: 'Access token missing',
    detail: 'Send an access token in the header: Authorization: Bearer <token>.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** What a token fails: for who explains it, never for who sent it. */
export interface TokenFault {
  readonly check: string;
  readonly expected: string;
  /** Claims and header parameters of the token as JSON; never its signature. */
  readonly found: string;
}

export function tokenExpired(options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 403,
      code: 'token_expired',
      title: 'Access token expired',
      detail: 'The access token has expired; get a new one from the token endpoint.',
      headers: INVALID_TOKEN,
    },
    options,
  );
}

/** Well formed, but not from our issuer or not for this API. */
export function tokenUntrusted(options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 403,
      code: 'token_untrusted',
      title: 'Access token not trusted',
      detail: 'The access token was not issued for this API by an issuer that it trusts.',
      headers: INVALID_TOKEN,
    },
    options,
  );
}

export function tokenInvalid(options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 403,
      code: 'token_invalid',
      title: 'Access token not valid',
      detail: 'The access token is malformed, has been changed, or is not an access token.',
      headers: INVALID_TOKEN,
    },
    options,
  );
}

/** A token of our issuer whose `iat` or `nbf` has not come yet by this machine's clock. */
export function tokenNotYetValid(aheadS: number, toleranceS: number): Refusal {
  return new Refusal({
    status: 403,
    code: 'token_invalid',
    title: 'Access token not valid yet',
    detail: `By this server’s clock, the access token becomes valid in ${aheadS} seconds; ${toleranceS} seconds are tolerated. The clock of this server or of the issuer is wrong.`,
    headers: INVALID_TOKEN,
  });
}

/** Good until somebody revoked it. */
export function tokenRevoked(options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 403,
      code: 'token_revoked',
      title: 'Access token revoked',
      detail: 'The access token was revoked; get a new one from the token endpoint.',
      headers: INVALID_TOKEN,
    },
    options,
  );
}

/** The token is bound to a key (RFC 9449). @param reason why this request does not prove the key. */
export function proofInvalid(reason: string, options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 403,
      code: 'token_invalid',
      title: 'Proof of possession not valid',
      detail: `The access token is bound to a key. Send it as Authorization: DPoP <token>, with a new proof in the header DPoP (RFC 9449). This request’s proof is not valid: ${reason}.`,
      headers: {
        'WWW-Authenticate': `DPoP error="invalid_dpop_proof", algs="${DPOP_ALGS.join(' ')}"`,
      },
    },
    options,
  );
}

/** The scheme is DPoP, and the token is not bound to a key. */
export function tokenNotBound(): Refusal {
  return new Refusal({
    status: 403,
    code: 'token_invalid',
    title: 'Access token not bound to a key',
    detail: 'The access token is not bound to a key. Send it as Authorization: Bearer <token>.',
    headers: INVALID_TOKEN,
  });
}

/** The token is bound to a certificate (RFC 8705 §3). */
export function certificateNotProven(): Refusal {
  return new Refusal({
    status: 403,
    code: 'token_invalid',
    title: 'Client certificate missing',
    detail:
      'The access token is bound to a client certificate. Send the request over mutual TLS with that certificate (RFC 8705).',
    headers: INVALID_TOKEN,
  });
}

export function insufficientPermission(scopes: readonly string[]): Refusal {
  return new Refusal({
    status: 403,
    code: 'insufficient_permission',
    title: 'Permission missing',
    detail: `This needs one of these scopes: ${scopes.join(' ')}`,
    headers: {
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    },
  });
}

export function revocationsUnavailable(): Refusal {
  return new Refusal({
    status: 503,
    code: 'revocations_unavailable',
    title: 'Revocations unavailable',
    detail: 'The issuer has not said for too long which tokens are revoked. Try again later.',
    headers: { 'Retry-After': '2' },
  });
}

export function keysUnavailable(): Refusal {
  return new Refusal({
    status: 503,
    code: 'keys_unavailable',
    title: 'Signing keys unavailable',
    detail: 'The issuer’s signing keys are not available. Try again later.',
    headers: { 'Retry-After': '2' },
  });
}

/** Whether a proof of possession was used before cannot be known. */
export function proofsUnavailable(options?: ErrorOptions): Refusal {
  return new Refusal(
    {
      status: 503,
      code: 'unavailable',
      title: 'Service unavailable',
      detail:
        'The proof of possession cannot be checked at the moment. Try again with a new proof.',
      headers: { 'Retry-After': '2' },
    },
    options,
  );
}
