import { errors } from 'oidc-provider';

/** By the library's words for its log: it tells the caller no more than that the grant is invalid. */
const EXPECTED: Readonly<Record<string, string>> = {
  'DPoP proof JWT not provided':
    'this client’s tokens are bound to a key: expected a proof in the header DPoP (RFC 9449)',
  'DPoP proof JWT Replay detected':
    'the proof in the header DPoP was used before: expected a new one for each request',
  'mutual TLS client certificate not provided':
    'this client’s tokens are bound to a certificate: expected a connection with it (RFC 8705)',
};

/** Says in the answer which proof of a client with bound tokens is missing, or was used. */
export function tellMissingProof(error: unknown): void {
  if (!(error instanceof errors.InvalidGrant)) return;
  const expected = EXPECTED[error.error_detail ?? ''];
  if (expected !== undefined) error.error_description = expected;
}
