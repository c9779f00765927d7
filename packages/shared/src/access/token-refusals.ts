import type { ProblemCode } from '../http/problem-codes.ts';
import { Refusal } from '../http/refusal.ts';

/** 403 for a token that was sent. RFC 6750 §3 says what it tells the client, without the token's contents. */
function refused(
  { code = 'token_invalid', title, detail, challenge = 'Bearer error="invalid_token"' }: Described,
  options?: ErrorOptions,
): Refusal {
  const headers = { 'WWW-Authenticate': challenge };
  return new Refusal({ status: 403, code, title, detail, headers }, options);
}

interface Described {
  readonly code?: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly challenge?: string;
}

/** 503: what a token is checked with is not there. */
function unavailable(
  code: ProblemCode,
  title: string,
  detail: string,
  options?: ErrorOptions,
): Refusal {
  const headers = { 'Retry-After': '2' };
  return new Refusal({ status: 503, code, title, detail, headers }, options);
}

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
  const detail = 'The access token has expired; get a new one from the token endpoint.';
  return refused({ code: 'token_expired', title: 'Access token expired', detail }, options);
}

/** Well formed, but not from our issuer or not for this API. */
export function tokenUntrusted(options?: ErrorOptions): Refusal {
  const detail = 'The access token was not issued for this API by an issuer that it trusts.';
  return refused({ code: 'token_untrusted', title: 'Access token not trusted', detail }, options);
}

export function tokenInvalid(options?: ErrorOptions): Refusal {
  const detail = 'The access token is malformed, has been changed, or is not an access token.';
  return refused({ title: 'Access token not valid', detail }, options);
}

/** A token of our issuer whose `iat` or `nbf` has not come yet by this machine's clock. */
export function tokenNotYetValid(aheadS: number, toleranceS: number): Refusal {
  return refused({
    title: 'Access token not valid yet',
    detail: `By this server’s clock, the access token becomes valid in ${aheadS} seconds; ${toleranceS} seconds are tolerated. The clock of this server or of the issuer is wrong.`,
  });
}

/** Good until somebody revoked it. */
export function tokenRevoked(options?: ErrorOptions): Refusal {
  const detail = 'The access token was revoked; get a new one from the token endpoint.';
  return refused({ code: 'token_revoked', title: 'Access token revoked', detail }, options);
}

/** The token is bound to a key (RFC 9449). @param reason why this request does not prove the key. */
export function proofInvalid(reason: string, options?: ErrorOptions): Refusal {
  const described = {
    title: 'Proof of possession not valid',
    detail: `The access token is bound to a key. Send it as Authorization: DPoP <token>, with a new proof in the header DPoP (RFC 9449). This request’s proof is not valid: ${reason}.`,
    challenge: `DPoP error="invalid_dpop_proof", algs="${DPOP_ALGS.join(' ')}"`,
  };
  return refused(described, options);
}

/** The scheme is DPoP, and the token is not bound to a key. */
export function tokenNotBound(): Refusal {
  const detail =
    'The access token is not bound to a key. Send it as Authorization: Bearer <token>.';
  return refused({ title: 'Access token not bound to a key', detail });
}

/** The token is bound to a certificate (RFC 8705 §3). */
export function certificateNotProven(): Refusal {
  return refused({
    title: 'Client certificate missing',
    detail:
      'The access token is bound to a client certificate. Send the request over mutual TLS with that certificate (RFC 8705).',
  });
}

export function insufficientPermission(scopes: readonly string[]): Refusal {
  return refused({
    code: 'insufficient_permission',
    title: 'Permission missing',
    detail: `This needs one of these scopes: ${scopes.join(' ')}`,
    challenge: `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
  });
}

export function revocationsUnavailable(): Refusal {
  const detail = 'The issuer has not said for too long which tokens are revoked. Try again later.';
  return unavailable('revocations_unavailable', 'Revocations unavailable', detail);
}

export function keysUnavailable(): Refusal {
  const detail = 'The issuer’s signing keys are not available. Try again later.';
  return unavailable('keys_unavailable', 'Signing keys unavailable', detail);
}

/** Whether a proof of possession was used before cannot be known. */
export function proofsUnavailable(options?: ErrorOptions): Refusal {
  const detail =
    'The proof of possession cannot be checked at the moment. Try again with a new proof.';
  return unavailable('unavailable', 'Service unavailable', detail, options);
}
